use tree::Tree;

fn sample() -> Tree<i32> {
    let mut tree = Tree::default();
    for value in [5, 2, 8, 1, 9, 2] {
        tree.insert(value);
    }
    tree
}

mod inserting {
    use super::sample;

    #[test]
    fn says_whether_it_is_new() {
        let mut tree = sample();
        assert!(tree.insert(7));
        assert!(!tree.insert(7));
    }

    #[test]
    fn counts_each_once() {
        assert_eq!(sample().len(), 5);
    }
}

mod reading {
    mod in_order {
        use super::super::*;

        #[test]
        fn sorted() {
            assert_eq!(sample().values(), [&1, &2, &5, &8, &9]);
        }

        #[test]
        fn of_an_empty_tree() {
            assert!(Tree::<String>::default().values().is_empty());
        }
    }

    #[test]
    fn contains() {
        let tree = super::sample();
        assert!(tree.contains(&8));
        assert!(!tree.contains(&3));
    }

    #[test]
    fn depth() {
        assert_eq!(super::sample().depth(), 3);
    }
}
