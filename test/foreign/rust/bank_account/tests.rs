use bank_account::Account;
use std::sync::Arc;
use std::thread;

#[test]
fn opens_empty() {
    assert_eq!(Account::new().balance(), 0);
}

#[test]
fn deposits_add_up() {
    let account = Account::new();
    account.deposit(30).unwrap();
    account.deposit(12).unwrap();
    assert_eq!(account.balance(), 42);
}

#[test]
fn cannot_be_overdrawn() {
    let account = Account::new();
    account.deposit(10).expect("a deposit works");
    assert!(account.withdraw(11).is_err());
    assert_eq!(account.balance(), 10);
}

#[test]
fn negative_amounts_are_refused() {
    assert!(Account::new().deposit(-1).is_err());
}

#[test]
fn many_threads_may_use_it() {
    let account = Arc::new(Account::new());
    let handles: Vec<_> = (0..4)
        .map(|_| {
            let account = Arc::clone(&account);
            thread::spawn(move || {
                for _ in 0..100 {
                    account.deposit(2).unwrap();
                    account.withdraw(1).unwrap();
                }
            })
        })
        .collect();
    for handle in handles {
        handle.join().unwrap();
    }
    assert_eq!(account.balance(), 400);
}
