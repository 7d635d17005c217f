use corpus::vectors::saxpy;
use std::time::Instant;
use warpsmith::Kernel;
use warpsmith::codegen::{Checks, Options};
fn main() {
    let n: u32 = std::env::args().nth(1).map_or(20000, |a| a.parse().unwrap());
    let options = Options { checks: Checks::All, line_directives: false };
    let t = |name: &str, f: &mut dyn FnMut()| {
        let s = Instant::now();
        for _ in 0..n {
            f()
        }
        println!("{name} {:.2} us", s.elapsed().as_secs_f64() * 1e6 / n as f64);
    };
    t("record", &mut || drop(saxpy::record(&())));
    let m = saxpy::record(&()).unwrap();
    t("validate", &mut || drop(warpsmith::validate::validate(m.clone())));
    t("module", &mut || drop(saxpy::module(&())));
    let v = saxpy::module(&()).unwrap();
    t("print", &mut || drop(warpsmith::codegen::print(&v, &options)));
}
