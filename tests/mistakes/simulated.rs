//! Mistakes that the simulator reports, with all lines that take part.

use warpsmith::prelude::*;
use warpsmith::simulator::Settings;
use warpsmith::{Buffer, Result};

use super::is_quoted;
use super::kernels::*;

/// The lines of the kernels that are marked with a mistake.
fn marked(name: &str) -> Vec<usize> {
    let lines = include_str!("kernels.rs").lines().zip(1..);
    let of = |(text, line): (&str, usize)| {
        let (_, names) = text.split_once("// mistake ")?;
        names.split_whitespace().any(|of| of == name).then_some(line)
    };
    lines.filter_map(of).collect()
}

/// Asserts that a launch ends with a report that the table quotes, and that it names every marked line.
#[track_caller]
fn check(
    mistake: &str,
    name: &str,
    settings: Settings,
    launch: impl Fn(&Device, &mut Buffer<u32>, &mut Buffer<u32>) -> Result<()>,
) {
    let lines = marked(name);
    assert!(!lines.is_empty(), "no line is marked `{name}`");
    // The report is the same in every order of threads and of copied bytes.
    for seed in [0, 3] {
        let device = Device::simulator_with(Settings { seed, ..settings.clone() });
        let (mut x, mut y) = (device.upload(&[0u32; 4096]).unwrap(), device.upload(&[0u32; 4096]).unwrap());
        let report = launch(&device, &mut x, &mut y).expect_err(mistake).to_string();
        is_quoted(mistake, &report);
        for line in &lines {
            assert!(report.contains(&format!("kernels.rs:{line}")), "{name}: no line {line} in: {report}");
        }
    }
}

/// The mistakes, each with the name of its lines, its text in the table, the settings, and a launch.
macro_rules! mistakes {
    ($($test:ident $mistake:literal $(with $settings:expr)? => $($name:ident |$device:ident, $x:ident, $y:ident| $launch:expr),+;)+) => {$(
        #[test]
        fn $test() {
            #[allow(unused_variables)]
            let settings = Settings::default();
            $(let settings = $settings;)?
            $(check($mistake, stringify!($name), settings.clone(), |$device, $x, $y| $launch);)+
        }
    )+};
}

mistakes! {
    sums_are_the_tensor_cores_meanwhile "sums read or written while a product computes them" =>
        read |d, _x, y| sums_in_flight(y, 0).grid(1).block(128).launch(d),
        written |d, _x, y| sums_in_flight(y, 1).grid(1).block(128).launch(d);
    products_are_waited_for "a product that is not waited for" =>
        left |d, _x, y| sums_in_flight(y, 2).grid(1).block(128).launch(d);
    rows_are_given_back "a stage that is never given back, or never committed" =>
        kept |d, x, y| never_released(x, y).grid(1).block(64).launch(d),
        uncommitted |d, x, y| never_committed(x, y).grid(1).block(64).launch(d);
    bytes_are_those_of_the_copies "other bytes expected than are copied" =>
        bytes |d, x, y| other_bytes(x, y, 512).grid(1).block(64).launch(d);
    fewer_bytes_are_a_mistake_too "fewer bytes expected than are copied" =>
        bytes |d, x, y| other_bytes(x, y, 128).grid(1).block(64).launch(d);
    a_producer_begins_with_the_phase_before_the_first "a producer that begins with the wrong phase" =>
        producer |d, x, y| other_phase(x, y, 0).grid(1).block(96).launch(d);
    a_turn_too_late "a phase that is off by a turn" =>
        turn |d, x, y| other_phase(x, y, 1).grid(1).block(96).launch(d);
    fewer_threads_arrive "a barrier made for more arrivals than come" =>
        few |d, _x, y| other_arrivals(y, 64).grid(1).block(64).launch(d);
    more_threads_arrive "a barrier made for fewer arrivals than come" =>
        many |d, _x, y| other_arrivals(y, 24).grid(1).block(64).launch(d);
    registers_are_those_of_the_block "more registers than the block has, by `setmaxnreg`" =>
        registers |d, _x, y| too_many_registers(y).grid(1).block(384).launch(d);
    registers_are_given_back_or_taken "`setmaxnreg` in the wrong direction" =>
        direction |d, _x, y| registers_the_wrong_way(y).grid(1).block(384).launch(d);
    a_warpgroup_multiplies_together "an operation of a warpgroup that a part of it makes" =>
        parted |d, _x, y| parted_in_spite(y).grid(1).block(128).launch(d);
    an_elected_lane_is_alone "an operation of a warp by the lane of `elect_one`" =>
        reduced |d, _x, y| elected_in_spite(y).grid(1).block(32).launch(d);
    a_fence_stands_between_the_proxies "a missing or misplaced fence between the proxies" =>
        unfenced |d, x, y| unfenced(x, y, 0).grid(1).block(64).launch(d),
        unfenced |d, x, y| unfenced(x, y, 1).grid(1).block(64).launch(d);
    a_stage_is_waited_for "a stage used before its wait" =>
        early |d, x, y| before_its_wait(x, y, 0).grid(1).block(128).launch(d),
        multiplied |d, x, y| before_its_wait(x, y, 1).grid(1).block(128).launch(d);
    a_stage_is_emptied_before_it_is_filled "a stage filled while threads read it" =>
        reread |d, x, y| overwritten(x, y, 0).grid(1).block(256).launch(d),
        afar |d, x, y| overwritten_from_afar(&x.tensor_map(128, 32)?, y).grid(2).block(32).launch(d);
    a_stage_is_multiplied_before_it_is_filled "a stage filled while a product reads it" =>
        remultiplied |d, x, y| overwritten(x, y, 1).grid(1).block(256).launch(d);
    a_block_outlives_copies_into_it "a block that ends before a copy into it" =>
        loading |d, x, y| gone(&x.tensor_map(128, 32)?, y, 0).grid(2).block(32).launch(d),
        sending |d, x, y| gone(&x.tensor_map(128, 32)?, y, 2).grid(2).block(32).launch(d);
    a_block_outlives_its_guests "a block that ends while another arrives at its barrier, or uses its memory" =>
        arriving |d, x, y| gone(&x.tensor_map(128, 32)?, y, 1).grid(2).block(32).launch(d);
    a_source_is_read_before_it_is_rewritten "the source of a store rewritten before `bulk_wait_read`" =>
        rewritten |d, x, y| store_not_awaited(x, y, 0).grid(1).block(64).launch(d);
    a_thread_outlives_its_stores "a kernel that ends before its stores have read" =>
        returned |d, x, y| store_not_awaited(x, y, 1).grid(1).block(64).launch(d);
    a_barrier_is_made_once "a barrier made twice" =>
        again |d, _x, y| barrier_misused(y, 1).grid(1).block(64).launch(d);
    a_barrier_is_made_before "a barrier used before it is made, or after its end" =>
        ended |d, _x, y| barrier_misused(y, 3).grid(1).block(64).launch(d);
    making_is_ordered_before_use "a barrier whose making nothing orders before its use" =>
        unordered |d, _x, y| barrier_unordered(y).grid(1).block(64).launch(d);
    a_barrier_is_no_data "the bytes of a barrier used as data" =>
        data |d, x, y| barrier_as_data(x, y).grid(1).block(64).launch(d);
    an_arrival_publishes_nothing "`arrive_at` where others are to see what was written" =>
        unpublished |d, x, y| unpublished(x, y, 0).grid(2).block(32).launch(d),
        unpublished |d, x, y| unpublished(x, y, 1).grid(2).block(32).launch(d);
    strictly_an_arrival_orders_no_loads "`arrive_at` for loads, with `strict_arrivals`"
        with Settings { strict_arrivals: true, ..Settings::default() } =>
        strict |d, x, y| read_before_reuse(x, y, false).grid(2).block(32).launch(d);
    named_barriers_in_a_circle "threads that wait for each other" =>
        named |d, _x, y| stuck(y, 0).grid(1).block(64).launch(d);
    phases_in_a_circle "threads that wait for each other's phases" =>
        phases |d, _x, y| stuck(y, 1).grid(1).block(64).launch(d);
    a_launch_waits_for_the_one_before "a launch's results read before `grid_dependency_wait`"
        with Settings { overlap_launches: true, ..Settings::default() } =>
        overlap |d, x, y| {
            predecessor(&mut *x).grid(1).block(64).launch(d)?;
            successor(&*x, y, false).grid(1).block(64).programmatic_serialization().launch(d)
        },
        // Another thread's use of memory says nothing about this one's launches.
        overlap |d, x, y| {
            predecessor(&mut *x).grid(1).block(64).launch(d)?;
            std::thread::scope(|scope| scope.spawn(|| Device::simulator().upload(&[0u32; 4]).map(drop)).join()).unwrap()?;
            successor(&*x, y, false).grid(1).block(64).programmatic_serialization().launch(d)
        };
}

/// Runs a launch in two orders, without a fault.
#[track_caller]
fn is_right(settings: Settings, launch: impl Fn(&Device, &mut Buffer<u32>, &mut Buffer<u32>) -> Result<()>) {
    for seed in [0, 3] {
        let device = Device::simulator_with(Settings { seed, ..settings.clone() });
        let (mut x, mut y) = (device.upload(&[0u32; 4096]).unwrap(), device.upload(&[0u32; 4096]).unwrap());
        launch(&device, &mut x, &mut y).expect("no fault");
    }
}

#[test]
fn launches_that_wait_for_the_one_before_are_right() {
    let settings = Settings { overlap_launches: true, ..Settings::default() };
    is_right(settings.clone(), |d, x, y| {
        predecessor(&mut *x).grid(1).block(64).launch(d)?;
        successor(&*x, &mut *y, true).grid(1).block(64).programmatic_serialization().launch(d)?;
        // The third launch waits for the second, and that has waited for the first.
        successor(&*x, y, true).grid(1).block(64).programmatic_serialization().launch(d)
    });
    is_right(settings.clone(), |d, x, y| {
        predecessor(&mut *x).grid(1).block(64).launch(d)?;
        successor(&*x, y, false).grid(1).block(64).launch(d)
    });
    // A copy to the host waits for all launches before.
    is_right(settings, |d, x, y| {
        predecessor(&mut *x).grid(1).block(64).launch(d)?;
        d.download(&*x)?;
        successor(&*x, y, false).grid(1).block(64).programmatic_serialization().launch(d)
    });
}

#[test]
fn arrivals_that_publish_are_right() {
    let strict = Settings { strict_arrivals: true, ..Settings::default() };
    is_right(strict, |d, x, y| read_before_reuse(x, y, true).grid(2).block(32).launch(d));
    is_right(Settings::default(), |d, x, y| read_before_reuse(x, y, false).grid(2).block(32).launch(d));
    is_right(Settings::default(), |d, x, y| unpublished(x, y, 2).grid(2).block(32).launch(d));
}
