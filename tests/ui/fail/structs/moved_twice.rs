use warpsmith::prelude::*;

#[derive(DeviceType)]
#[repr(C)]
struct Ticket {
    number: u32,
}

#[gpu_impl]
impl Ticket {
    fn spend(self) -> u32 {
        self.number
    }
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let ticket = Ticket { number: 1 };
    y[0] = ticket.spend() + ticket.spend();
}

fn main() {}
