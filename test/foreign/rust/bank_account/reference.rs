use std::sync::Mutex;

#[derive(Default)]
pub struct Account {
    balance: Mutex<i64>,
}

impl Account {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn balance(&self) -> i64 {
        *self.balance.lock().unwrap()
    }

    pub fn deposit(&self, amount: i64) -> Result<(), String> {
        if amount < 0 {
            return Err("negative".to_string());
        }
        *self.balance.lock().unwrap() += amount;
        Ok(())
    }

    pub fn withdraw(&self, amount: i64) -> Result<(), String> {
        let mut balance = self.balance.lock().unwrap();
        if *balance < amount {
            return Err("too little".to_string());
        }
        *balance -= amount;
        Ok(())
    }
}
