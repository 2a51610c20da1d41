pub struct Task {
    time: u64,
    work: Box<dyn FnOnce()>,
}

impl Task {
    pub fn at(time: u64, work: impl FnOnce() + 'static) -> Self {
        Task { time, work: Box::new(work) }
    }
}

#[derive(Default)]
pub struct Scheduler {
    tasks: Vec<Task>,
}

impl Scheduler {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&mut self, task: Task) {
        self.tasks.push(task);
    }

    pub fn run_until(&mut self, time: u64) -> usize {
        let (mut due, rest): (Vec<Task>, Vec<Task>) = self.tasks.drain(..).partition(|task| task.time <= time);
        self.tasks = rest;
        due.sort_by_key(|task| task.time);
        let count = due.len();
        for task in due {
            (task.work)();
        }
        count
    }
}
