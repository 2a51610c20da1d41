use observer::Subject;
use std::cell::RefCell;
use std::rc::Rc;

#[test]
fn listeners_hear_what_is_sent() {
    let heard = Rc::new(RefCell::new(Vec::new()));
    let mut subject = Subject::new();
    let copy = Rc::clone(&heard);
    subject.subscribe(move |text| copy.borrow_mut().push(text.to_uppercase()));
    subject.send("one");
    subject.send("two");
    assert_eq!(*heard.borrow(), ["ONE", "TWO"]);
}

#[test]
fn in_the_order_of_subscription() {
    let order = RefCell::new(vec![]);
    {
        let mut subject = Subject::new();
        subject.subscribe(|_| order.borrow_mut().push(1));
        subject.subscribe(|_| order.borrow_mut().push(2));
        subject.send("");
    }
    assert_eq!(order.into_inner(), vec![1, 2]);
}

#[test]
fn may_leave() {
    let count = std::cell::Cell::new(0);
    let mut subject = Subject::new();
    let id = subject.subscribe(|_| count.set(count.get() + 1));
    subject.send("a");
    assert!(subject.unsubscribe(id));
    assert!(!subject.unsubscribe(id));
    subject.send("b");
    assert_eq!(count.get(), 1);
}
