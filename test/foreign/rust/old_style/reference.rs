use std::collections::HashMap;
use std::hash::Hash;

#[macro_export]
macro_rules! map {
    ($($key:expr => $value:expr),* $(,)?) => {{
        #[allow(unused_mut)]
        let mut map = ::std::collections::HashMap::new();
        $(map.insert($key, $value);)*
        map
    }};
}

pub fn inverted<K: Clone, V: Clone + Eq + Hash>(map: &HashMap<K, V>) -> HashMap<V, K> {
    map.iter().map(|(key, value)| (value.clone(), key.clone())).collect()
}
