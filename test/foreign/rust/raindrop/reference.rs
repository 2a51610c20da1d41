pub fn raindrop(n: u32) -> String {
    let sounds = [(3, "Pling"), (5, "Plang"), (7, "Plong")];
    let text: String = sounds.iter().filter(|(factor, _)| n % factor == 0).map(|(_, sound)| *sound).collect();
    if text.is_empty() { n.to_string() } else { text }
}
