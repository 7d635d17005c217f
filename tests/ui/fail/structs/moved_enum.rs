use warpsmith::prelude::*;

#[derive(DeviceType)]
enum Ticket {
    Spent,
    Fresh(u32),
}

fn main() {}
