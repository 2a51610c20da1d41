type Listener<'a> = Box<dyn FnMut(&str) + 'a>;

#[derive(Default)]
pub struct Subject<'a> {
    listeners: Vec<(usize, Listener<'a>)>,
    next: usize,
}

impl<'a> Subject<'a> {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn subscribe(&mut self, listener: impl FnMut(&str) + 'a) -> usize {
        let id = self.next;
        self.next += 1;
        self.listeners.push((id, Box::new(listener)));
        id
    }

    pub fn unsubscribe(&mut self, id: usize) -> bool {
        let before = self.listeners.len();
        self.listeners.retain(|(other, _)| *other != id);
        self.listeners.len() < before
    }

    pub fn send(&mut self, text: &str) {
        for (_, listener) in &mut self.listeners {
            listener(text);
        }
    }
}
