use stay_in_crate::Temperature;

mod helpers {
    pub fn freezing() -> stay_in_crate::Temperature {
        stay_in_crate::Temperature::celsius(0.0)
    }
}

mod conversions {
    use crate::helpers::freezing;

    #[test]
    fn to_fahrenheit() {
        assert_eq!(freezing().fahrenheit(), 32.0);
    }

    #[test]
    fn to_kelvin() {
        assert_eq!(crate::helpers::freezing().kelvin(), 273.15);
    }
}

#[test]
fn compares() {
    assert!(Temperature::celsius(1.0) > helpers::freezing());
    assert!(Temperature::celsius(-1.0) < helpers::freezing());
}

#[test]
fn sorts() {
    let mut list = [Temperature::celsius(3.0), helpers::freezing()];
    list.sort_by(|a, b| a.partial_cmp(b).unwrap());
    assert_eq!(list[0], helpers::freezing());
}
