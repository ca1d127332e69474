//! Types of function constants.

use std::fmt;

use crate::json::{Data, Value};

/// The type of a constant: a scalar, or a vector of two to four.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstantType {
    /// Metal's name of the scalar: `Bool`, `UChar`.
    pub scalar: &'static str,
    /// Number of components, 1 to 4.
    pub width: usize,
}

/// A scalar, with the least and the most if it is a whole number.
type Scalar = (&'static str, Option<(i128, i128)>);

/// The scalars there are.
const SCALARS: [Scalar; 11] = [
    ("Bool", None),
    ("Char", Some((i8::MIN as i128, i8::MAX as i128))),
    ("UChar", Some((0, u8::MAX as i128))),
    ("Short", Some((i16::MIN as i128, i16::MAX as i128))),
    ("UShort", Some((0, u16::MAX as i128))),
    ("Int", Some((i32::MIN as i128, i32::MAX as i128))),
    ("UInt", Some((0, u32::MAX as i128))),
    ("Long", Some((i64::MIN as i128, i64::MAX as i128))),
    ("ULong", Some((0, u64::MAX as i128))),
    ("Float", None),
    ("Half", None),
];

impl ConstantType {
    /// The type of this name, as libraries and Metal have it: `Float`, `UChar4`.
    ///
    /// ```
    /// use mtlp_script::ConstantType;
    ///
    /// let float2 = ConstantType::of_name("Float2").unwrap();
    /// assert_eq!((float2.scalar, float2.width), ("Float", 2));
    /// assert_eq!(float2.to_string(), "ConstantFloat2");
    /// assert_eq!(ConstantType::of_name("Texture"), None);
    /// ```
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let (scalar, width) = match name.as_bytes().last() {
            Some(digit @ b'2'..=b'4') => (name.get(..name.len() - 1)?, usize::from(digit - b'0')),
            _ => (name, 1),
        };
        let (scalar, _) = SCALARS.into_iter().find(|(known, _)| *known == scalar)?;
        Some(Self { scalar, width })
    }

    /// The type of a `value_type`: `ConstantFloat`.
    #[must_use]
    pub fn of_value_type(text: &str) -> Option<Self> {
        Self::of_name(text.strip_prefix("Constant")?)
    }

    /// The least and the most value; `None` for booleans and floating point.
    #[must_use]
    pub fn range(self) -> Option<(i128, i128)> {
        SCALARS.into_iter().find(|(name, _)| *name == self.scalar)?.1
    }

    /// What is wrong with a value's `data`; `None` if it fits.
    #[must_use]
    pub fn fault(self, data: &Value) -> Option<String> {
        if self.width == 1 {
            return self.scalar_fault(data);
        }
        let (all, found) = match &data.data {
            Data::List(elements) => (&elements[..], format!("a list of {}", elements.len())),
            _ => (&[][..], data.what().to_owned()),
        };
        if all.len() != self.width {
            return Some(format!("{self} takes a list of {}, not {found}", self.width));
        }
        all.iter().find_map(|element| self.scalar_fault(element))
    }

    fn scalar_fault(self, data: &Value) -> Option<String> {
        let wrong = |takes: &str| Some(format!("{self} takes {takes}, not {}", data.what()));
        if self.scalar == "Bool" {
            let is_bit = matches!(data.integer(), Some(0 | 1));
            return if is_bit || matches!(data.data, Data::Flag(_)) {
                None
            } else {
                wrong("true or false")
            };
        }
        let Data::Number(text) = &data.data else { return wrong("a number") };
        let (least, most) = self.range()?;
        let fits = data.integer().is_some_and(|number| (least..=most).contains(&number));
        (!fits).then(|| {
            let text: String = text.chars().take(40).collect();
            format!("{self} takes a whole number from {least} to {most}, not {text}")
        })
    }

    /// A value of this type to begin with: `false` or 0, for each component.
    #[must_use]
    pub fn zero(self) -> Value {
        let zero = || if self.scalar == "Bool" { Value::from(false) } else { Value::from(0) };
        match self.width {
            1 => zero(),
            width => Value::from((0..width).map(|_| zero()).collect::<Vec<_>>()),
        }
    }
}

impl fmt::Display for ConstantType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Constant{}", self.scalar)?;
        if self.width > 1 { write!(f, "{}", self.width) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;
    use crate::values::CONSTANT_TYPES;

    #[test]
    fn every_value_type_is_one() {
        for name in CONSTANT_TYPES.names {
            let known = ConstantType::of_value_type(name).unwrap();
            assert_eq!(known.to_string(), *name);
            assert_eq!(known.fault(&known.zero()), None);
        }
    }

    #[test]
    fn values_fit_or_not() {
        let fault = |name, data: &str| {
            let value = read(data.as_bytes()).unwrap().value;
            ConstantType::of_name(name).unwrap().fault(&value)
        };
        assert_eq!(fault("Bool", "true"), None);
        assert_eq!(fault("Half3", "[1, -2.5, 1e3]"), None);
        assert_eq!(fault("ULong", "18446744073709551615"), None);
        let says = |name, data: &str, text: &str| assert_eq!(fault(name, data).unwrap(), text);
        says("Bool", "2", "ConstantBool takes true or false, not a number");
        says("Float2", "1", "ConstantFloat2 takes a list of 2, not a number");
        says("Float2", "[1]", "ConstantFloat2 takes a list of 2, not a list of 1");
        says("UChar", "256", "ConstantUChar takes a whole number from 0 to 255, not 256");
        says(
            "Int",
            "1.5",
            "ConstantInt takes a whole number from -2147483648 to 2147483647, not 1.5",
        );
        says("Float", "\"1\"", "ConstantFloat takes a number, not a string");
    }
}
