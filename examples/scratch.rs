use corpus::cases;
use warpsmith::codegen::{Checks, Options};
fn main() {
    let names: Vec<String> = std::env::args().skip(2).collect();
    let mode = std::env::args().nth(1).unwrap();
    for case in cases::all() {
        if !names.is_empty() && !names.iter().any(|n| n == case.name) {
            continue;
        }
        let checks = match mode.as_str() {
            "all" => Checks::All,
            "none" => Checks::None,
            _ => Checks::Lifted(u64::MAX),
        };
        let s = (case.print)(&Options { checks, line_directives: false }).unwrap();
        if mode == "count" {
            let n = s.code.matches("ws_at(").count() - s.code.matches("I ws_at(").count();
            println!("{} {}", case.name, n);
        } else {
            println!("// ===== {}\n{}", case.name, s.code);
            for c in &s.conditions {
                println!("//   {c}");
            }
        }
    }
}
