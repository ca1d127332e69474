//! Data types of function constants, attributes and arguments (`MTLDataType`).

use std::fmt;

/// A data type code, one byte in tags LAYR, VATY, CNST, RETR and ARGR.
///
/// Codes 0 to 140 with gaps have names; any other is kept and shown as a number.
/// Codes for double, int8, 8- and 16-wide vectors are used inside libraries but are
/// not in Apple's public enumeration.
///
/// ```
/// use metallib::DataType;
///
/// assert_eq!(DataType::from_name("Float4"), Some(DataType::from_code(6)));
/// assert_eq!(DataType::from_code(57).to_string(), "unknown(57)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DataType(u8);

impl DataType {
    /// 58: texture; it carries more detail in RETR and ARGR.
    pub const TEXTURE: Self = Self(58);
    /// 59: sampler.
    pub const SAMPLER: Self = Self(59);
    /// 60: pointer; it carries more detail in RETR and ARGR.
    pub const POINTER: Self = Self(60);
    /// 1: struct; the layout of its detail is not known.
    pub const STRUCT: Self = Self(1);
    /// 2: array; it carries more detail in RETR and ARGR.
    pub const ARRAY: Self = Self(2);

    /// The type of this code.
    #[must_use]
    pub const fn from_code(code: u8) -> Self {
        Self(code)
    }

    /// The type of this name, as printed.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, known)| *known == name).map(|(code, _)| Self(*code))
    }

    /// The byte in the file.
    #[must_use]
    pub const fn code(self) -> u8 {
        self.0
    }

    /// Name of the type, if the code is known.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        let index = NAMES.binary_search_by_key(&self.0, |(code, _)| *code).ok()?;
        NAMES.get(index).map(|(_, name)| *name)
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "unknown({})", self.0),
        }
    }
}

/// Codes with their names, ascending.
#[rustfmt::skip]
const NAMES: &[(u8, &str)] = &[
    (0, "None"), (1, "Struct"), (2, "Array"), (3, "Float"), (4, "Float2"), (5, "Float3"),
    (6, "Float4"), (7, "Float2x2"), (8, "Float2x3"), (9, "Float2x4"), (10, "Float3x2"),
    (11, "Float3x3"), (12, "Float3x4"), (13, "Float4x2"), (14, "Float4x3"), (15, "Float4x4"),
    (16, "Half"), (17, "Half2"), (18, "Half3"), (19, "Half4"), (20, "Half2x2"), (21, "Half2x3"),
    (22, "Half2x4"), (23, "Half3x2"), (24, "Half3x3"), (25, "Half3x4"), (26, "Half4x2"),
    (27, "Half4x3"), (28, "Half4x4"), (29, "Int"), (30, "Int2"), (31, "Int3"), (32, "Int4"),
    (33, "UInt"), (34, "UInt2"), (35, "UInt3"), (36, "UInt4"), (37, "Short"), (38, "Short2"),
    (39, "Short3"), (40, "Short4"), (41, "UShort"), (42, "UShort2"), (43, "UShort3"),
    (44, "UShort4"), (45, "Char"), (46, "Char2"), (47, "Char3"), (48, "Char4"), (49, "UChar"),
    (50, "UChar2"), (51, "UChar3"), (52, "UChar4"), (53, "Bool"), (54, "Bool2"), (55, "Bool3"),
    (56, "Bool4"), (58, "Texture"), (59, "Sampler"), (60, "Pointer"), (62, "R8Unorm"),
    (63, "R8Snorm"), (64, "R16Unorm"), (65, "R16Snorm"), (66, "RG8Unorm"), (67, "RG8Snorm"),
    (68, "RG16Unorm"), (69, "RG16Snorm"), (70, "RGBA8Unorm"), (71, "RGBA8Unorm_sRGB"),
    (72, "RGBA8Snorm"), (73, "RGBA16Unorm"), (74, "RGBA16Snorm"), (75, "RGB10A2Unorm"),
    (76, "RG11B10Float"), (77, "RGB9E5Float"), (78, "RenderPipeline"), (79, "ComputePipeline"),
    (80, "IndirectCommandBuffer"), (81, "Long"), (82, "Long2"), (83, "Long3"), (84, "Long4"),
    (85, "ULong"), (86, "ULong2"), (87, "ULong3"), (88, "ULong4"), (89, "Double"),
    (90, "Double2"), (91, "Double3"), (92, "Double4"), (93, "Float8"), (94, "Float16"),
    (95, "Half8"), (96, "Half16"), (97, "Int8"), (98, "Int16"), (99, "UInt8"), (100, "UInt16"),
    (101, "Short8"), (102, "Short16"), (103, "UShort8"), (104, "UShort16"), (105, "Char8"),
    (106, "Char16"), (107, "UChar8"), (108, "UChar16"), (109, "Long8"), (110, "Long16"),
    (111, "ULong8"), (112, "ULong16"), (113, "Double8"), (114, "Double16"),
    (115, "VisibleFunctionTable"), (116, "IntersectionFunctionTable"),
    (117, "PrimitiveAccelerationStructure"), (118, "InstanceAccelerationStructure"),
    (119, "Bool8"), (120, "Bool16"), (121, "BFloat"), (122, "BFloat2"), (123, "BFloat3"),
    (124, "BFloat4"), (139, "DepthStencilState"), (140, "Tensor"),
];
