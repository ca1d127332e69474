//! Typed views of the tags of public and private metadata groups.
//!
//! Each view is parsed from a tag's payload and encodes back to the same bytes.

use byteorder::{LittleEndian, WriteBytesExt};

use crate::DataType;
use crate::cursor::Cursor;
use crate::error::{Error, ErrorKind, Result};

/// A function constant: one entry of tag CNST.
///
/// `cstr name, u8 type, u16 index, u8 flag`, behind a u16 count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionConstant {
    /// Name, without NUL.
    pub name: Vec<u8>,
    /// Type of the constant.
    pub data_type: DataType,
    /// Index given in the source.
    pub index: u16,
    /// 1 if the constant is required.
    pub required: u8,
}

/// A vertex attribute: one entry of tag VATT with its type from tag VATY.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexAttribute {
    /// Name, without NUL.
    pub name: Vec<u8>,
    /// Bits 0 to 12 index, 13 and 14 use, 15 active.
    pub word: u16,
}

impl VertexAttribute {
    /// Attribute index.
    #[must_use]
    pub const fn index(&self) -> u16 {
        self.word & 0x1fff
    }

    /// 0 standard, 1 patch, 2 control point.
    #[must_use]
    pub const fn usage(&self) -> u16 {
        (self.word >> 13) & 3
    }

    /// Whether the function uses the attribute.
    #[must_use]
    pub const fn is_active(&self) -> bool {
        self.word & 0x8000 != 0
    }
}

/// A type with its detail, as in tags RETR and ARGR of Core Image functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DetailedType {
    /// A type without detail.
    Plain(DataType),
    /// 60: `u8 access, u8 alignment, u64 size`, then the element.
    Pointer {
        /// Access, 0 read.
        access: u8,
        /// Alignment of the pointee in bytes.
        alignment: u8,
        /// Size of the pointee in bytes.
        size: u64,
        /// What it points at.
        element: Box<DetailedType>,
    },
    /// 58: `u8 type, u32 array length, u8 kind`.
    Texture {
        /// Type of a component.
        data_type: DataType,
        /// Array length.
        length: u32,
        /// Bits 0 to 4 texture type, 5 and 6 access, 7 depth.
        kind: u8,
    },
    /// 2: `u32 length, u32 stride`, then the element.
    Array {
        /// Number of elements.
        length: u32,
        /// Distance of elements in bytes.
        stride: u32,
        /// Type of an element.
        element: Box<DetailedType>,
    },
}

/// An argument of a Core Image function: one entry of tag ARGR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Name, without NUL.
    pub name: Vec<u8>,
    /// Type with detail.
    pub data_type: DetailedType,
}

/// Content of tag DEBI: where the function stands in its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebugInfo {
    /// Line, from 1.
    pub line: u32,
    /// Path of the source, without NUL.
    pub path: Vec<u8>,
}

/// How deep pointers and arrays of RETR and ARGR may nest.
const DEPTH: u32 = 16;

/// Reads tag CNST.
///
/// # Errors
/// If the payload ends early or has more than its count says.
pub fn function_constants(payload: &[u8], offset: u64) -> Result<Vec<FunctionConstant>> {
    let mut cursor = Cursor::new(payload, offset);
    let count = cursor.u16("constant count")?;
    let read = |cursor: &mut Cursor<'_>| {
        Ok(FunctionConstant {
            name: cursor.cstr("constant name")?.to_vec(),
            data_type: DataType::from_code(cursor.u8("constant type")?),
            index: cursor.u16("constant index")?,
            required: cursor.u8("constant flag")?,
        })
    };
    let constants = (0..count).map(|_| read(&mut cursor)).collect::<Result<_>>()?;
    end(&cursor)?;
    Ok(constants)
}

/// Payload of tag CNST.
///
/// # Errors
/// If there are more than 65,535 constants.
pub fn encode_function_constants(constants: &[FunctionConstant]) -> Result<Vec<u8>> {
    let mut out = count_word(constants.len())?;
    for constant in constants {
        out.extend_from_slice(&constant.name);
        out.extend_from_slice(&[0, constant.data_type.code()]);
        let _ = out.write_u16::<LittleEndian>(constant.index);
        out.push(constant.required);
    }
    Ok(out)
}

/// Reads tag VATT.
///
/// # Errors
/// If the payload ends early or has more than its count says.
pub fn vertex_attributes(payload: &[u8], offset: u64) -> Result<Vec<VertexAttribute>> {
    let mut cursor = Cursor::new(payload, offset);
    let count = cursor.u16("attribute count")?;
    let read = |cursor: &mut Cursor<'_>| {
        let name = cursor.cstr("attribute name")?.to_vec();
        Ok(VertexAttribute { name, word: cursor.u16("attribute word")? })
    };
    let attributes = (0..count).map(|_| read(&mut cursor)).collect::<Result<_>>()?;
    end(&cursor)?;
    Ok(attributes)
}

/// Payload of tag VATT.
///
/// # Errors
/// If there are more than 65,535 attributes.
pub fn encode_vertex_attributes(attributes: &[VertexAttribute]) -> Result<Vec<u8>> {
    let mut out = count_word(attributes.len())?;
    for attribute in attributes {
        out.extend_from_slice(&attribute.name);
        out.push(0);
        let _ = out.write_u16::<LittleEndian>(attribute.word);
    }
    Ok(out)
}

/// Reads tag VATY: the types of the attributes of VATT, in the same order.
///
/// # Errors
/// If the payload ends early or has more than its count says.
pub fn vertex_attribute_types(payload: &[u8], offset: u64) -> Result<Vec<DataType>> {
    let mut cursor = Cursor::new(payload, offset);
    let count = cursor.u16("attribute count")?;
    let types = cursor.take(u64::from(count), "attribute types")?;
    end(&cursor)?;
    Ok(types.iter().map(|&code| DataType::from_code(code)).collect())
}

/// Payload of tag VATY.
///
/// # Errors
/// If there are more than 65,535 attributes.
pub fn encode_vertex_attribute_types(types: &[DataType]) -> Result<Vec<u8>> {
    let mut out = count_word(types.len())?;
    out.extend(types.iter().map(|data_type| data_type.code()));
    Ok(out)
}

/// Reads tag RETR.
///
/// # Errors
/// If the payload ends early, has more than one type, or a struct, whose layout is not
/// known.
pub fn return_type(payload: &[u8], offset: u64) -> Result<DetailedType> {
    let mut cursor = Cursor::new(payload, offset);
    let data_type = detailed_type(&mut cursor, DEPTH)?;
    end(&cursor)?;
    Ok(data_type)
}

/// Reads tag ARGR.
///
/// # Errors
/// If the payload ends early, has more than its count says, or a struct, whose layout
/// is not known.
pub fn arguments(payload: &[u8], offset: u64) -> Result<Vec<Argument>> {
    let mut cursor = Cursor::new(payload, offset);
    let count = cursor.u8("argument count")?;
    let read = |cursor: &mut Cursor<'_>| {
        let name = cursor.cstr("argument name")?.to_vec();
        Ok(Argument { name, data_type: detailed_type(cursor, DEPTH)? })
    };
    let arguments = (0..count).map(|_| read(&mut cursor)).collect::<Result<_>>()?;
    end(&cursor)?;
    Ok(arguments)
}

/// Payload of tag ARGR.
///
/// # Errors
/// If there are more than 255 arguments.
pub fn encode_arguments(arguments: &[Argument]) -> Result<Vec<u8>> {
    let count = u8::try_from(arguments.len()).map_err(|_| {
        let (size, limit) = (arguments.len() as u64, u64::from(u8::MAX));
        Error::new(ErrorKind::TooLarge { what: "list", size, limit }, 0)
    })?;
    let mut out = vec![count];
    for argument in arguments {
        out.extend_from_slice(&argument.name);
        out.push(0);
        encode_detailed_type(&mut out, &argument.data_type);
    }
    Ok(out)
}

/// Appends a type with its detail, as RETR holds it.
pub fn encode_detailed_type(out: &mut Vec<u8>, data_type: &DetailedType) {
    match data_type {
        DetailedType::Plain(plain) => out.push(plain.code()),
        DetailedType::Pointer { access, alignment, size, element } => {
            out.extend_from_slice(&[DataType::POINTER.code(), *access, *alignment]);
            out.extend_from_slice(&size.to_le_bytes());
            encode_detailed_type(out, element);
        }
        DetailedType::Texture { data_type, length, kind } => {
            out.extend_from_slice(&[DataType::TEXTURE.code(), data_type.code()]);
            out.extend_from_slice(&length.to_le_bytes());
            out.push(*kind);
        }
        DetailedType::Array { length, stride, element } => {
            out.push(DataType::ARRAY.code());
            out.extend_from_slice(&length.to_le_bytes());
            out.extend_from_slice(&stride.to_le_bytes());
            encode_detailed_type(out, element);
        }
    }
}

/// Reads tag DEBI: `u32 line`, path, NUL.
///
/// # Errors
/// If the payload ends early or goes on behind the NUL.
pub fn debug_info(payload: &[u8], offset: u64) -> Result<DebugInfo> {
    let mut cursor = Cursor::new(payload, offset);
    let line = cursor.u32("line")?;
    let path = cursor.cstr("source path")?.to_vec();
    end(&cursor)?;
    Ok(DebugInfo { line, path })
}

/// Payload of tag DEBI.
#[must_use]
pub fn encode_debug_info(info: &DebugInfo) -> Vec<u8> {
    [&info.line.to_le_bytes(), info.path.as_slice(), &[0]].concat()
}

/// Reads tag DEPF: the path of the linked `.air`, without NUL.
///
/// # Errors
/// If there is no NUL, or it is not the last byte.
pub fn dependency_file(payload: &[u8], offset: u64) -> Result<&[u8]> {
    let mut cursor = Cursor::new(payload, offset);
    let path = cursor.cstr("path of the .air file")?;
    end(&cursor)?;
    Ok(path)
}

fn detailed_type(cursor: &mut Cursor<'_>, depth: u32) -> Result<DetailedType> {
    let offset = cursor.offset();
    let refuse = |what: &str| Error::new(ErrorKind::Value { what: what.to_owned() }, offset);
    let inner = depth.checked_sub(1).ok_or_else(|| refuse("types nest more than 16 deep"))?;
    Ok(match DataType::from_code(cursor.u8("type code")?) {
        DataType::STRUCT => return Err(refuse("the layout of a struct type is not known")),
        DataType::POINTER => DetailedType::Pointer {
            access: cursor.u8("pointer access")?,
            alignment: cursor.u8("pointer alignment")?,
            size: cursor.u64("pointer data size")?,
            element: Box::new(detailed_type(cursor, inner)?),
        },
        DataType::TEXTURE => DetailedType::Texture {
            data_type: DataType::from_code(cursor.u8("texture data type")?),
            length: cursor.u32("texture array length")?,
            kind: cursor.u8("texture kind")?,
        },
        DataType::ARRAY => DetailedType::Array {
            length: cursor.u32("array length")?,
            stride: cursor.u32("array stride")?,
            element: Box::new(detailed_type(cursor, inner)?),
        },
        plain => DetailedType::Plain(plain),
    })
}

fn count_word(count: usize) -> Result<Vec<u8>> {
    let word = u16::try_from(count).map_err(|_| {
        let (size, limit) = (count as u64, u64::from(u16::MAX));
        Error::new(ErrorKind::TooLarge { what: "list", size, limit }, 0)
    })?;
    Ok(word.to_le_bytes().to_vec())
}

/// Checks that nothing is left.
fn end(cursor: &Cursor<'_>) -> Result<()> {
    if cursor.rest().is_empty() {
        return Ok(());
    }
    let what = format!("{} bytes are left behind the last entry", cursor.rest().len());
    Err(Error::new(ErrorKind::Value { what }, cursor.offset()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_constants_are_read_and_written() {
        let payload = b"\x02\0factor\0\x03\0\0\x01clamp\0\x35\x01\0\0";
        let constants = function_constants(payload, 0).unwrap();
        assert_eq!(constants[1].name, b"clamp");
        assert_eq!(constants[1].data_type.to_string(), "Bool");
        assert_eq!((constants[1].index, constants[1].required), (1, 0));
        assert_eq!(encode_function_constants(&constants).unwrap(), payload);
    }

    #[test]
    fn attributes_and_their_types_are_read_and_written() {
        let payload = b"\x02\0position\0\0\x80color\0\x01\x20";
        let attributes = vertex_attributes(payload, 0).unwrap();
        assert!(attributes[0].is_active() && !attributes[1].is_active());
        assert_eq!((attributes[1].index(), attributes[1].usage()), (1, 1));
        assert_eq!(encode_vertex_attributes(&attributes).unwrap(), payload);
        let types = vertex_attribute_types(b"\x02\0\x04\x06", 0).unwrap();
        assert_eq!(encode_vertex_attribute_types(&types).unwrap(), b"\x02\0\x04\x06");
    }

    /// The one measured sample that has a pointer, a texture and a sampler.
    #[test]
    fn core_image_arguments_are_read_and_written() {
        let payload = b"\x03t\0\x3a\x03\x01\0\0\0\x02s\0\x3bm\0\x3c\0\x10\x40\0\0\0\0\0\0\0\x0f";
        let arguments = arguments(payload, 0).unwrap();
        assert_eq!(arguments[1].data_type, DetailedType::Plain(DataType::from_code(59)));
        assert_eq!(encode_arguments(&arguments).unwrap(), payload);
        let array = return_type(b"\x02\x04\0\0\0\x10\0\0\0\x06", 0).unwrap();
        assert!(matches!(array, DetailedType::Array { length: 4, stride: 16, .. }));
    }

    #[test]
    fn paths_are_read_and_written() {
        let payload = b"\x07\0\0\0/a.metal\0";
        let info = debug_info(payload, 0).unwrap();
        assert_eq!((info.line, info.path.as_slice()), (7, &b"/a.metal"[..]));
        assert_eq!(encode_debug_info(&info), payload);
        assert_eq!(dependency_file(b"/a.air\0", 0).unwrap(), b"/a.air");
    }

    #[test]
    fn wrong_payloads_say_what_is_wrong() {
        let error = |result: Result<Vec<FunctionConstant>>| result.unwrap_err().to_string();
        assert_eq!(
            error(function_constants(b"\x01\0abc", 16)),
            "constant name has no NUL at its end (offset 0x12)"
        );
        assert_eq!(
            error(function_constants(b"\0\0rest", 16)),
            "4 bytes are left behind the last entry (offset 0x12)"
        );
        assert_eq!(
            return_type(b"\x01", 16).unwrap_err().to_string(),
            "the layout of a struct type is not known (offset 0x10)"
        );
        let deep = [b"\x02\0\0\0\0\0\0\0\0".repeat(20), vec![3]].concat();
        let message = return_type(&deep, 0).unwrap_err().to_string();
        assert_eq!(message, "types nest more than 16 deep (offset 0x90)");
    }
}
