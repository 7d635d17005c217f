//! Graphs: recorded once, started as one, updated in place.

use harness::on_every_device;
use warpsmith::graph::GraphError;
use warpsmith::launch::LaunchError;
use warpsmith::prelude::*;
use warpsmith::{Error, driver::DriverError};

#[gpu_kernel]
fn axpy(a: u32, x: &[u32], y: &mut [u32]) {
    let i = global_id();
    if i < x.len() && i < y.len() {
        y[i] += a * x[i];
    }
}

#[gpu_kernel]
fn first_of(mut x: ViewMut<'_, u32>) {
    if global_id() == 0 {
        x[0] += 1;
    }
}

#[gpu_kernel]
fn past_the_end(x: &mut [u32]) {
    if global_id() == 0 {
        x[100] = 1;
    }
}

#[test]
fn a_graph_starts_on_a_stream_of_its_device() {
    harness::everywhere::<axpy>(&(), |device| {
        let stream = device.stream().expect("a stream");
        let mut graph = Graph::new(device);
        let x = graph.hold(device.upload(&[1u32; 1000]).expect("memory")).expect("held");
        let y = graph.hold(device.upload(&[0u32; 1000]).expect("memory")).expect("held");
        graph.add(|m| Ok(axpy(3, m.read(x)?, m.write(y)?).over(1000))).expect("y += 3x");
        for _ in 0..4 {
            graph.launch_on(&stream).expect("it runs");
        }
        assert_eq!(device.download(graph.buffer(y).expect("held")).expect("no fault"), [12; 1000]);
        let Some(gpu) = device.as_gpu() else { return };
        let other = Device::simulator().stream().expect("a stream");
        assert!(matches!(graph.launch_on(&other), Err(Error::Driver(DriverError::OtherDevice { .. }))));
        let each = gpu.context().per_thread_stream();
        assert!(graph.launch_on(&each).is_err(), "another stream on each thread");
    });
}

fn graph_error<T>(result: warpsmith::Result<T>) -> GraphError {
    match result.map(|_| ()) {
        Err(Error::Graph(error)) => error,
        other => panic!("not refused by the graph: {other:?}"),
    }
}

#[test]
fn a_graph_replays_its_launches_in_order() {
    on_every_device(|device| {
        let mut graph = Graph::new(device);
        let x = graph.hold(device.upload(&[1u32; 1000]).expect("memory")).expect("the same device");
        let y = graph.hold(device.upload(&[0u32; 1000]).expect("memory")).expect("the same device");
        graph.add(|m| Ok(axpy(1, m.read(x)?, m.write(y)?).over(1000))).expect("y += x");
        graph.add(|m| Ok(axpy(1, m.read(y)?, m.write(x)?).over(1000))).expect("x += y");
        graph.add(|m| Ok(first_of(m.write(x)?.view_mut()).grid(1).block(32))).expect("x[0] += 1");
        for _ in 0..5 {
            graph.launch().expect("it runs");
        }
        // Each round makes of (x, y) the next two Fibonacci numbers but for x[0].
        let last = device.download(graph.buffer(x).expect("its own")).expect("no fault");
        assert_eq!((last[999], last[1]), (89, 89));
        assert_eq!(last[0], 89 + [1, 2, 5, 13, 34].iter().sum::<u32>());
    });
}

#[test]
fn a_graph_takes_new_data_and_new_arguments() {
    on_every_device(|device| {
        let mut graph = Graph::new(device);
        let x = graph.hold(device.upload(&[1u32; 8]).expect("memory")).expect("the same device");
        let y = graph.hold(device.upload(&[0u32; 8]).expect("memory")).expect("the same device");
        let node = graph.add(|m| Ok(axpy(1, m.read(x)?, m.write(y)?).over(8))).expect("y += x");
        graph.launch().expect("it runs");
        graph.write(x, &[10; 8]).expect("its own");
        graph.launch().expect("it runs");
        graph.update(node, |m| Ok(axpy(7, m.read(x)?, m.write(y)?).over(8))).expect("y += 7x");
        graph.launch().expect("it runs, updated");
        graph.add(|m| Ok(axpy(1000, m.read(x)?, m.write(y)?).grid(1).block(4))).expect("another launch");
        graph.launch().expect("it runs, made anew");
        let y = graph.into_buffer(y).expect("its own");
        let (far, near) = (1 + 10 + 70 + 70, 1 + 10 + 70 + 70 + 10_000);
        assert_eq!(device.download(&y).expect("no fault"), [near, near, near, near, far, far, far, far]);
    });
}

#[test]
fn a_graph_of_nothing_does_nothing() {
    on_every_device(|device| {
        let y = device.upload(&[5u32; 4]).expect("memory");
        assert_eq!(Graph::new(device).launch(), Ok(()));
        assert_eq!(device.download(&y), Ok(vec![5; 4]));
    });
}

#[test]
fn a_graph_refuses_what_it_cannot_keep_alive() {
    on_every_device(|device| {
        let mut graph = Graph::new(device);
        let mut other = Graph::new(device);
        let x = graph.hold(device.upload(&[1u32; 8]).expect("memory")).expect("the same device");
        let theirs = other.hold(device.upload(&[1u32; 8]).expect("memory")).expect("the same device");
        let twice = graph_error(graph.add(|m| Ok(axpy(1, m.read(x)?, m.write(x)?).over(8))));
        assert_eq!(twice, GraphError::Borrowed { index: 0 });
        let foreign = graph_error(graph.add(|m| Ok(axpy(1, m.read(theirs)?, m.write(x)?).over(8))));
        assert_eq!(foreign, GraphError::Foreign { what: "memory", method: "hold" });
        let y = other.hold(device.upload(&[0u32; 8]).expect("memory")).expect("the same device");
        let node = other.add(|m| Ok(axpy(1, m.read(theirs)?, m.write(y)?).over(8))).expect("its own");
        let foreign = graph_error(graph.update(node, |m| Ok(axpy(1, m.read(x)?, m.write(x)?).over(8))));
        assert_eq!(foreign, GraphError::Foreign { what: "node", method: "add" });
        graph.launch().expect("nothing was added");
        let wrong = graph.add(|m| Ok(axpy(1, m.read(x)?, m.write(x)?)));
        assert!(wrong.is_err());
    });
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_graph_refuses_memory_and_streams_of_another_device() {
    let gpu = harness::needs_gpu();
    let here = Device::simulator().upload(&[1u32]).expect("memory");
    let mut graph = Graph::new(&gpu);
    assert!(matches!(graph.hold(here), Err(Error::Driver(DriverError::WrongDevice { .. }))));
    let stream = gpu.as_gpu().expect("a GPU").context().new_stream().expect("a stream");
    let mut simulated = Graph::new(&Device::simulator());
    assert!(matches!(
        simulated.launch_on(&stream),
        Err(Error::Driver(DriverError::OtherDevice { what: "stream", .. }))
    ));
    let y = graph.hold(gpu.upload(&[0u32; 8]).expect("memory")).expect("the same device");
    let own = graph_error(graph.add(|m| Ok(past_the_end(m.write(y)?).over(8).on(&stream))));
    assert_eq!(own, GraphError::Own { kernel: "past_the_end", what: "stream" });
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_graph_runs_on_another_stream_in_order_with_the_devices_own() {
    let gpu = harness::needs_gpu();
    let stream = gpu.as_gpu().expect("a GPU").context().new_stream().expect("a stream");
    let mut graph = Graph::new(&gpu);
    let x = graph.hold(gpu.upload(&[1u32; 1 << 20]).expect("memory")).expect("the same device");
    let y = graph.hold(gpu.upload(&[0u32; 1 << 20]).expect("memory")).expect("the same device");
    graph.add(|m| Ok(axpy(1, m.read(x)?, m.write(y)?).over(1 << 20))).expect("y += x");
    for round in 1..20u32 {
        graph.launch_on(&stream).expect("it runs");
        graph.write(x, &vec![round + 1; 1 << 20]).expect("its own");
    }
    let sum: u32 = (1..20).sum();
    let last = gpu.download(graph.buffer(y).expect("its own")).expect("no fault");
    assert!(last.iter().all(|v| *v == sum), "{} instead of {sum}", last[0]);
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_fault_in_a_graph_is_reported_and_the_graph_stays_usable() {
    let gpu = harness::needs_gpu();
    let mut graph = Graph::new(&gpu);
    let x = graph.hold(gpu.upload(&[0u32; 8]).expect("memory")).expect("the same device");
    let node = graph.add(|m| Ok(past_the_end(m.write(x)?).grid(1))).expect("right but for its index");
    graph.launch().expect("queued");
    let fault = gpu.synchronize();
    assert!(
        matches!(fault, Err(Error::Launch(LaunchError::Fault { kernel: "past_the_end", .. }))),
        "{fault:?}"
    );
    graph.update(node, |m| Ok(past_the_end(m.write(x)?).grid(1).block(64))).expect("another shape");
    graph.launch().expect("queued again");
    assert!(gpu.synchronize().is_err(), "it faults again");
    drop(graph);
    gpu.synchronize().expect("the context is usable");
}
