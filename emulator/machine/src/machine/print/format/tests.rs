//! Formats with the texts that an H200 prints for them.

use super::{Arguments, Unreadable, format};

/// Arguments as bits, taken one after the other, and the only text.
struct List(Vec<u64>, &'static str);

impl Arguments for List {
    fn number(&mut self, _: u64) -> Result<u64, Unreadable> {
        if self.0.is_empty() { Err(Unreadable { what: "an argument", address: 0 }) } else { Ok(self.0.remove(0)) }
    }

    fn text(&self, _: u64) -> Result<Vec<u8>, Unreadable> {
        Ok(self.1.as_bytes().to_vec())
    }
}

fn printed(text: &str, arguments: &[u64]) -> (String, u64) {
    let (text, count) = format(text.as_bytes(), &mut List(arguments.to_vec(), "abcdef")).unwrap();
    (String::from_utf8(text).unwrap(), count)
}

fn print_integers(text: &str, arguments: &[i64]) -> String {
    printed(text, &arguments.iter().map(|&number| number as u64).collect::<Vec<_>>()).0
}

fn print_floats(text: &str, arguments: &[f64]) -> String {
    printed(text, &arguments.iter().map(|number| number.to_bits()).collect::<Vec<_>>()).0
}

#[test]
fn integers_have_flags_width_and_precision() {
    let text = print_integers("%d|%i|%u|%x|%X|%o|%c|%%", &[-7, 8, 4_000_000_000, 255, 255, 8, 65]);
    assert_eq!(text, "-7|8|4000000000|ff|FF|10|A|%");
    assert_eq!(
        print_integers("%5d|%-5d|%05d|%+d|% d|%#x|%#o", &[42, 42, 42, 42, 42, 255, 8]),
        "   42|42   |00042|+42| 42|0xff|010"
    );
    let text = print_integers("%#x|%#o|%#X|%#x|%-+5d|%+ d|% 05d|%0-5d|", &[0, 0, 255, 1, 5, 5, 5, 5]);
    assert_eq!(text, "0|0|0XFF|0x1|+5   |+5| 0005|5    |");
    let text = print_integers("%.3x|%8.3x|%08.3d|%+.3d|%-8.3o|%#8x|%#08x", &[5; 7]);
    assert_eq!(text, "005|     005|     005|+005|005     |     0x5|0x000005");
    assert_eq!(
        print_integers("%5.3d|%.0d|%.10d|%*d|%-*d|", &[7, 0, 5, 6, 42, 6, 42]),
        "  007||0000000005|    42|42    |"
    );
}

#[test]
fn sizes_select_the_low_bytes() {
    let text = print_integers("%ld|%lld|%lu|%llx|%hd|%hu|%hhx", &[-5, -6, 7, 1 << 40, 70_000, 65_537, 511]);
    assert_eq!(text, "-5|-6|7|10000000000|4464|1|ff");
    assert_eq!(print_integers("%x|%d", &[-1, 0xFFFF_FFFF]), "ffffffff|-1");
}

#[test]
fn floats_have_the_digits_of_c() {
    let text = print_floats("%f|%e|%g|%E|%G", &[1.5, 12345.678, 0.0001, 1e100, 1e-10]);
    assert_eq!(text, "1.500000|1.234568e+04|0.0001|1.000000E+100|1E-10");
    let text = print_floats(
        "%.2f|%8.3f|%-8.2f|%+.1f|%.0f|%#.0f|%08.2f",
        &[3.14179, 3.14179, 3.14179, 2.25, 2.5, 2.0, -3.14179],
    );
    assert_eq!(text, "3.14|   3.142|3.14    |+2.2|2|2.|-0003.14");
    let text = print_floats("%g|%g|%g|%g|%g|%#g|%g", &[1e5, 1e6, 1e-5, 0.0, -0.0, 1.0, 123_456_789.0]);
    assert_eq!(text, "100000|1e+06|1e-05|0|-0|1.00000|1.23457e+08");
    let text =
        print_floats("%#g|%#.3g|%.3g|%g|%.10g|%#.0e|%.0e|%.0g", &[1.5, 2.0, 0.00012345, 1e15, 0.1, 2.0, 2.5, 15.0]);
    assert_eq!(text, "1.50000|2.00|0.000123|1e+15|0.1|2.e+00|2e+00|2e+01");
}

#[test]
fn hexadecimal_floats_round_ties_to_even() {
    let text = print_floats("%a|%A|%a|%a|%a", &[1.5, 0.1, 0.0, 5e-324, 1e300]);
    assert_eq!(text, "0x1.8p+0|0X1.999999999999AP-4|0x0p+0|0x0.0000000000001p-1022|0x1.7e43c8800759cp+996");
    assert_eq!(print_floats("%.2a|%.0a|%.1a", &[1.999, 1.5, 1.96875]), "0x2.00p+0|0x2p+0|0x2.0p+0");
}

#[test]
fn infinities_are_not_padded_with_zeros() {
    let infinity = f64::INFINITY;
    let nan = f64::NAN;
    let text =
        print_floats("%f|%f|%f|%F|%e|%5f|%05f", &[infinity, -infinity, nan, infinity, infinity, infinity, infinity]);
    assert_eq!(text, "inf|-inf|nan|INF|inf|  inf|  inf");
}

#[test]
fn texts_and_pointers() {
    assert_eq!(printed("%s|%.3s|%10s|%-10s|", &[1; 4]).0, "abcdef|abc|    abcdef|abcdef    |");
    assert_eq!(printed("%s|%p|%p|%10p|%-10p|", &[0, 0, 0x1234, 16, 0]).0, "(null)|(nil)|0x1234|      0x10|(nil)     |");
    assert_eq!(print_integers("%5c|%-5c|%5%|%d", &[120, 121, 8]), "    x|y    |%|8");
}

#[test]
fn unknown_conversions_are_text_and_take_no_argument() {
    assert_eq!(printed("%y|%d|%q", &[1, 2]), ("%y|1|%q".to_owned(), 1));
    assert_eq!(printed("%.*f", &[2, 3]), ("%.*f".to_owned(), 0));
    assert_eq!(printed("%1$d %2$d", &[1, 2]), ("%1$d %2$d".to_owned(), 0));
    assert_eq!(printed("%d 100%\n", &[5]), ("5 100%\n".to_owned(), 1));
    assert_eq!(printed("%", &[]), ("%".to_owned(), 0));
}

#[test]
fn the_result_is_the_number_of_arguments_at_most_32() {
    assert_eq!(printed("none\n", &[]).1, 0);
    assert_eq!(printed("%*d|%5%|%s", &[6, 42, 1]).1, 3);
    let (text, count) = printed(&"%d".repeat(33), &[1; 33]);
    assert_eq!((text.as_str(), count), (format!("{}%d", "1".repeat(32)).as_str(), 32));
}

#[test]
fn a_huge_precision_is_exact() {
    let text = print_floats("%.1200f", &[5e-324]);
    assert_eq!(text.len(), 1202);
    assert!(text.ends_with("0000000000") && text.contains("4940656458412465441"), "{text}");
    assert_eq!(print_floats("%99999999999d", &[0.0]).len(), 1 << 20);
}

#[test]
fn an_argument_that_cannot_be_read_is_an_error() {
    let error = format(b"%d", &mut List(Vec::new(), "")).err().map(|error| (error.what, error.address));
    assert_eq!(error, Some(("an argument", 0)));
}
