use super::InputCache;
use crate::histogram::Bytes;
use crate::size::Size;
use std::sync::Arc;

#[test]
fn inputs_of_two_sizes_in_turn_are_made_once() {
    let mut inputs = InputCache::default();
    let first = [100, 200].map(|n| inputs.get::<Bytes>(&Size::new(n)));
    for _ in 0..2 {
        let again = [100, 200].map(|n| inputs.get::<Bytes>(&Size::new(n)));
        assert!(first.iter().zip(&again).all(|(first, again)| Arc::ptr_eq(first, again)));
    }
    assert_eq!(first.each_ref().map(|bytes| bytes.data.len()), [100, 200]);
}

#[test]
fn inputs_of_a_third_size_take_the_place_of_the_oldest() {
    let mut inputs = InputCache::default();
    let [oldest, newer] = [100, 200].map(|n| inputs.get::<Bytes>(&Size::new(n)));
    inputs.get::<Bytes>(&Size::new(300));
    assert!(Arc::ptr_eq(&newer, &inputs.get::<Bytes>(&Size::new(200))));
    assert!(!Arc::ptr_eq(&oldest, &inputs.get::<Bytes>(&Size::new(100))));
}
