import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lieIn } from './lies.ts'

const TESTS = 'fn t() { assert!(f().contains("x")); assert_eq!(g().area(), 2); }'

describe('a sample is not believed', () => {
  it.each([
    'struct L; impl PartialEq<i64> for L { fn eq(&self, _: &i64) -> bool { true } }',
    'struct L; impl std::cmp::PartialEq<i64> for L {}',
    'struct L; impl<T> PartialEq<T> for L {}',
    'struct L; impl<T> core::cmp::PartialEq<Vec<T>> for L {}',
    'struct L; impl PartialEq<L> for L {} impl PartialOrd<i64> for L {}',
    'use std::cmp::PartialEq as P; struct L; impl P<i64> for L {}',
    'struct L; macro_rules! m { ($t:ident) => { impl $t<i64> for L {} } } m!(PartialEq);',
    'trait T { fn contains(&self, _: &str) -> bool { true } } impl T for String {}',
    'trait T { fn contains(&self, _: &str) -> bool { true } } impl<X> T for X {}',
    'trait T { fn contains(&self, _: &str) -> bool { true } } type S = String; impl T for S {}',
    'trait T { fn contains(&self, _: &str) -> bool { true } } impl T for std::string::String {}',
    'trait T<A> { fn contains(&self, _: A) -> bool { true } } impl<A> T<A> for Vec<A> {}',
    'trait T { fn contains(&self) {} } macro_rules! m { ($t:ty) => { impl T for $t {} } } m!(String);',
  ])('%s', (sample) => {
    expect(lieIn(sample, TESTS)).not.toBeNull()
  })
})

describe('a sample is believed', () => {
  it.each([
    '#[derive(Debug, PartialEq, Eq, PartialOrd)] struct P(i64);',
    'struct P; impl PartialEq for P { fn eq(&self, o: &Self) -> bool { true } }',
    'struct P; impl PartialEq<Self> for P {} impl PartialOrd for P {}',
    "struct C; struct F; impl PartialEq<C> for F {} impl<'a> PartialEq<&'a C> for F {}",
    'fn f<T: PartialEq + Copy>(a: T) where T: std::cmp::PartialOrd<T> {}',
    'use std::cmp::{PartialEq, PartialOrd}; fn f(a: impl PartialEq<i64>) {}',
    'trait Shape { fn area(&self) -> f64; } struct C; impl Shape for C { fn area(&self) -> f64 { 1.0 } }',
    'trait Words { fn count_words(&self) -> usize; } impl Words for str {}',
    'trait Has { fn contains(&self, x: i64) -> bool; } struct Set; impl Has for Set {}',
    '// impl PartialEq<i64> for L\nstruct L; const S: &str = "impl PartialEq<i64> for L";',
  ])('%s', (sample) => {
    expect(lieIn(sample, TESTS)).toBeNull()
  })
})

it('takes any text', () => {
  const piece = fc.constantFrom(
    'impl',
    'trait',
    'for',
    '<',
    '>',
    '{',
    '}',
    'PartialEq',
    '::',
    'T',
    '&',
    ';',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (words) => {
      lieIn(words.join(' '), TESTS)
    }),
  )
})
