//! The parameter block of a launch.

/// The parameter block: `values` at the places that a kernel of `name` expects, as (offset, bytes).
///
/// # Errors
/// Another number of arguments, or one of another size; the text lists the parameters.
pub fn parameter_block(name: &str, places: &[(usize, usize)], values: &[Vec<u8>]) -> Result<Vec<u8>, String> {
    let sizes = |list: &mut dyn Iterator<Item = usize>| {
        let sizes: Vec<String> = list.map(|bytes| bytes.to_string()).collect();
        if sizes.is_empty() { "none".to_owned() } else { format!("{} ({} bytes)", sizes.len(), sizes.join(", ")) }
    };
    if !places.iter().map(|place| place.1).eq(values.iter().map(Vec::len)) {
        return Err(format!(
            "`{name}` takes these parameters: {}; these arguments are given: {}. A pointer has 8 bytes: \
             --arg f32[1024] makes a buffer and passes its address",
            sizes(&mut places.iter().map(|place| place.1)),
            sizes(&mut values.iter().map(Vec::len)),
        ));
    }
    let mut block = vec![0; places.last().map_or(0, |(offset, bytes)| offset + bytes)];
    for ((offset, bytes), value) in places.iter().zip(values) {
        block[*offset..offset + bytes].copy_from_slice(value);
    }
    Ok(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_take_the_places_of_their_parameters() {
        let block = parameter_block("k", &[(0, 4), (8, 8)], &[vec![1; 4], vec![2; 8]]).expect("sizes fit");
        assert_eq!(block, [1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2]);
    }

    #[test]
    fn arguments_that_do_not_fit_are_told_with_the_parameters() {
        let error = parameter_block("k", &[(0, 8), (8, 4)], &[vec![0; 8]]).unwrap_err();
        assert!(
            error.starts_with(
                "`k` takes these parameters: 2 (8, 4 bytes); these arguments are given: 1 (8 bytes). A pointer has"
            ),
            "{error}"
        );
        assert!(parameter_block("k", &[], &[vec![0; 8]]).unwrap_err().contains("parameters: none;"));
        assert!(parameter_block("k", &[(0, 8)], &[vec![0; 4]]).is_err());
    }
}
