#[cfg(test)]
mod stack_tests {
    use super::Stack;
    use std::fmt::Debug;

    fn drain<T: Debug + Clone>(mut stack: Stack<T>) -> Vec<T> {
        let mut items = vec![];
        while let Some(item) = stack.pop() {
            items.push(item);
        }
        items
    }

    #[test]
    fn pops_what_was_pushed_last() {
        let mut stack = Stack::with_limit(3);
        stack.push('a').unwrap();
        stack.push('b').unwrap();
        assert_eq!(drain(stack), vec!['b', 'a']);
    }

    #[test]
    fn has_a_limit() {
        let mut stack = Stack::with_limit(1);
        assert!(stack.push(1).is_ok());
        assert_eq!(stack.push(2), Err(2));
    }

    #[test]
    fn the_field_is_private_but_near() {
        let stack: Stack<()> = Stack::with_limit(4);
        assert_eq!(stack.limit, 4);
    }

    #[test]
    fn owns_its_items() {
        let mut stack = Stack::with_limit(2);
        stack.push(String::from("x")).unwrap();
        assert!(matches!(stack.pop(), Some(text) if text == "x"));
        assert!(matches!(stack.pop(), None));
    }
}

#[cfg(test)]
mod more_tests {
    #[test]
    fn by_the_path_of_the_crate() {
        assert!(crate::Stack::<i32>::with_limit(0).push(1).is_err());
    }
}
