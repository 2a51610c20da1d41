use async_free::{Scheduler, Task};
use std::cell::RefCell;

thread_local! {
    static LOG: RefCell<Vec<u32>> = RefCell::new(Vec::new());
}

fn note(number: u32) {
    LOG.with(|log| log.borrow_mut().push(number));
}

fn noted() -> Vec<u32> {
    LOG.with(|log| log.take())
}

#[test]
fn runs_in_order_of_time() {
    let mut scheduler = Scheduler::new();
    scheduler.add(Task::at(20, || note(2)));
    scheduler.add(Task::at(10, || note(1)));
    scheduler.run_until(30);
    assert_eq!(noted(), [1, 2]);
}

#[test]
fn waits_for_its_time() {
    let mut scheduler = Scheduler::new();
    scheduler.add(Task::at(20, || note(1)));
    assert_eq!(scheduler.run_until(19), 0);
    assert_eq!(noted(), []);
    assert_eq!(scheduler.run_until(20), 1);
    assert_eq!(noted(), [1]);
}

#[test]
fn equal_times_keep_their_order() {
    let mut scheduler = Scheduler::new();
    for number in 0..5 {
        scheduler.add(Task::at(1, move || note(number)));
    }
    scheduler.run_until(1);
    assert_eq!(noted(), [0, 1, 2, 3, 4]);
}
