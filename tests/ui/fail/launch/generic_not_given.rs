use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel<T: Num>(y: &mut [T]) {
    y[0] = y[1];
}

fn main() -> warpsmith::Result<()> {
    println!("{}", kernel::cuda_source()?);
    Ok(())
}
