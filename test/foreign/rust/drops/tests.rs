use drops::Pool;
use std::cell::Cell;
use std::rc::{Rc, Weak};

struct Loud<'a>(&'a Cell<u32>);

impl Drop for Loud<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

#[test]
fn drops_what_does_not_fit() {
    let dropped = Cell::new(0);
    let mut pool = Pool::new(2);
    for _ in 0..3 {
        pool.put(Loud(&dropped));
    }
    assert_eq!(dropped.get(), 1);
    drop(pool);
    assert_eq!(dropped.get(), 3);
}

#[test]
fn gives_back_the_newest() {
    let mut pool = Pool::new(2);
    pool.put(1);
    pool.put(2);
    assert_eq!(pool.take(), Some(2));
}

#[test]
fn keeps_the_newest() {
    let mut pool = Pool::new(1);
    let first = Rc::new(1);
    let weak: Weak<i32> = Rc::downgrade(&first);
    pool.put(first);
    pool.put(Rc::new(2));
    assert!(weak.upgrade().is_none());
    assert_eq!(pool.take().as_deref(), Some(&2));
}
