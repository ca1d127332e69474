//! Names of types in AIR's metadata, and their codes.

use metallib::DataType;

/// Codes of the types that have a name of their own: scalars, vectors and matrices. The others
/// (textures, pointers, structs, …) are named with what they consist of.
const NAMED: [std::ops::RangeInclusive<u8>; 3] = [3..=56, 81..=114, 119..=124];

/// The type of this name: `float4`, `uchar4`, `bool`.
///
/// The names are those of [`DataType`] in lower case. Measured in tags of real libraries: float,
/// float2 to float4, float4x4, half4, int, uint, short, ushort, uchar4, bool. The others follow
/// the table of codes and were not seen.
pub(super) fn type_of(name: &[u8]) -> Option<DataType> {
    let is_named = |data_type: &DataType| {
        let known = data_type.name().unwrap_or_default();
        known.len() == name.len()
            && known.bytes().map(|byte| byte.to_ascii_lowercase()).eq(name.iter().copied())
    };
    NAMED.into_iter().flatten().map(DataType::from_code).find(is_named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_measured_codes() {
        let measured = [
            ("float", 3),
            ("float2", 4),
            ("float3", 5),
            ("float4", 6),
            ("float4x4", 15),
            ("half4", 19),
            ("int", 29),
            ("uint", 33),
            ("short", 37),
            ("ushort", 41),
            ("uchar4", 52),
            ("bool", 53),
        ];
        for (name, code) in measured {
            assert_eq!(type_of(name.as_bytes()).map(DataType::code), Some(code), "{name}");
        }
    }

    #[test]
    fn other_words_are_no_types() {
        for name in ["", "Float4", "float5", "texture", "struct", "pointer", "none", "vertex_t"] {
            assert_eq!(type_of(name.as_bytes()), None, "{name}");
        }
    }

    #[test]
    fn every_value_type_has_a_name() {
        for code in NAMED.into_iter().flatten() {
            let name = DataType::from_code(code).name().unwrap().to_ascii_lowercase();
            assert_eq!(type_of(name.as_bytes()), Some(DataType::from_code(code)), "{name}");
        }
    }
}
