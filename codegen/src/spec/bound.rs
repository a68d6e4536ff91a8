//! Bounds of range claims: `2^64-1`, `p-1`, `2*p+2^32`.

use crate::params::Field;

/// The value of a sum of terms, each a product of integers, powers of two and `p`.
///
/// # Errors
/// Says in words what is wrong with the text.
pub(super) fn parse(text: &str, field: &Field) -> Result<u128, String> {
    let mut sum: i128 = 0;
    let mut rest = text.trim();
    let mut negative = false;
    loop {
        let end = rest.find(['+', '-']).unwrap_or(rest.len());
        let value = product(&rest[..end], field)?;
        let signed = if negative { -value } else { value };
        sum = sum.checked_add(signed).ok_or_else(too_large)?;
        let Some(operator) = rest[end..].chars().next() else {
            break;
        };
        negative = operator == '-';
        rest = &rest[end + 1..];
    }
    u128::try_from(sum).map_err(|_| "it is negative".to_owned())
}

fn product(term: &str, field: &Field) -> Result<i128, String> {
    term.split('*').try_fold(1_i128, |product, factor| {
        product
            .checked_mul(self::factor(factor.trim(), field)?)
            .ok_or_else(too_large)
    })
}

fn factor(text: &str, field: &Field) -> Result<i128, String> {
    if text == "p" {
        return Ok(i128::from(field.modulus));
    }
    if let Some(exponent) = text.strip_prefix("2^") {
        let exponent = exponent.parse::<u32>().map_err(|_| not_a_term(text))?;
        return if exponent <= 126 {
            Ok(1 << exponent)
        } else {
            Err(too_large())
        };
    }
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(not_a_term(text));
    }
    text.parse().map_err(|_| too_large())
}

fn not_a_term(text: &str) -> String {
    format!("`{text}` is none of an integer, `2^k` and `p`")
}

fn too_large() -> String {
    "it is greater than 2^126".to_owned()
}

/// The shortest familiar form of `value`; [`parse`] reads it back.
pub(super) fn format(value: u128, field: &Field) -> String {
    let p = u128::from(field.modulus);
    for multiple in 1..=16 {
        let name = if multiple == 1 {
            "p".to_owned()
        } else {
            format!("{multiple}*p")
        };
        for (offset, suffix) in [(0, ""), (1, "-1")] {
            if value == multiple * p - offset {
                return name + suffix;
            }
        }
    }
    match value {
        ..0x1_0000 => value.to_string(),
        power if power.is_power_of_two() => format!("2^{}", power.trailing_zeros()),
        mask if mask.wrapping_add(1).is_power_of_two() => format!("2^{}-1", mask.trailing_ones()),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{GOLDILOCKS, KOALA_BEAR};

    #[test]
    fn sums_of_products() {
        let p = u128::from(GOLDILOCKS.modulus);
        for (text, value) in [
            ("0", 0),
            ("18446744073709551615", (1 << 64) - 1),
            ("2^64-1", (1 << 64) - 1),
            ("p-1", p - 1),
            (" 2*p + 2^32 - 1 ", 2 * p + (1 << 32) - 1),
            ("3*2^10", 3 << 10),
            ("2^126", 1 << 126),
        ] {
            assert_eq!(parse(text, &GOLDILOCKS), Ok(value), "{text}");
        }
    }

    #[test]
    fn refuses() {
        for (text, reason) in [
            ("", "`` is none of an integer, `2^k` and `p`"),
            ("-1", "`` is none of an integer, `2^k` and `p`"),
            ("p-", "`` is none of an integer, `2^k` and `p`"),
            ("q-1", "`q` is none of an integer, `2^k` and `p`"),
            ("2^x", "`2^x` is none of an integer, `2^k` and `p`"),
            ("3^2", "`3^2` is none of an integer, `2^k` and `p`"),
            ("1-2", "it is negative"),
            ("2^127", "it is greater than 2^126"),
            ("2^126*2", "it is greater than 2^126"),
            (
                "999999999999999999999999999999999999999999",
                "it is greater than 2^126",
            ),
        ] {
            assert_eq!(parse(text, &GOLDILOCKS), Err(reason.to_owned()), "{text}");
        }
    }

    #[test]
    fn format_is_read_back() {
        for field in [&GOLDILOCKS, &KOALA_BEAR] {
            let p = u128::from(field.modulus);
            for value in [
                0,
                1,
                65535,
                65536,
                p - 1,
                p,
                p + 1,
                2 * p,
                3 * p - 1,
                (1 << 64) - 1,
                1 << 70,
            ] {
                assert_eq!(parse(&format(value, field), field), Ok(value));
            }
        }
        assert_eq!(format(u128::MAX, &GOLDILOCKS), u128::MAX.to_string());
        assert_eq!(format((1 << 64) - 1, &GOLDILOCKS), "2^64-1");
        assert_eq!(
            format(u128::from(GOLDILOCKS.modulus) - 1, &GOLDILOCKS),
            "p-1"
        );
    }
}
