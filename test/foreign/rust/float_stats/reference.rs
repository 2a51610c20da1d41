pub struct Summary {
    pub mean: f64,
    pub deviation: f64,
}

impl Summary {
    pub fn of(list: &[f64]) -> Summary {
        Summary { mean: mean(list), deviation: variance(list).sqrt() }
    }
}

pub fn mean(list: &[f64]) -> f64 {
    list.iter().sum::<f64>() / list.len() as f64
}

pub fn variance(list: &[f64]) -> f64 {
    let middle = mean(list);
    list.iter().map(|x| (x - middle).powi(2)).sum::<f64>() / (list.len() - 1) as f64
}
