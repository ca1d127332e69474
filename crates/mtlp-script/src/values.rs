//! The values that keys may have: names of Metal's enumerations without their prefix.
//!
//! State of Xcode 16.4.

/// The names that a key may have as its value.
#[derive(Debug)]
pub struct Values {
    /// What they are, for messages: "pixel format".
    pub what: &'static str,
    /// The names.
    pub names: &'static [&'static str],
}

/// Formats of attachments.
pub static PIXEL_FORMATS: Values = Values {
    what: "pixel format",
    names: &[
        "Invalid",
        "A8Unorm",
        "R8Unorm",
        "R8Unorm_sRGB",
        "R8Snorm",
        "R8Uint",
        "R8Sint",
        "R16Unorm",
        "R16Snorm",
        "R16Uint",
        "R16Sint",
        "R16Float",
        "RG8Unorm",
        "RG8Unorm_sRGB",
        "RG8Snorm",
        "RG8Uint",
        "RG8Sint",
        "B5G6R5Unorm",
        "A1BGR5Unorm",
        "ABGR4Unorm",
        "BGR5A1Unorm",
        "R32Uint",
        "R32Sint",
        "R32Float",
        "RG16Unorm",
        "RG16Snorm",
        "RG16Uint",
        "RG16Sint",
        "RG16Float",
        "RGBA8Unorm",
        "RGBA8Unorm_sRGB",
        "RGBA8Snorm",
        "RGBA8Uint",
        "RGBA8Sint",
        "BGRA8Unorm",
        "BGRA8Unorm_sRGB",
        "RGB10A2Unorm",
        "RGB10A2Uint",
        "RG11B10Float",
        "RGB9E5Float",
        "BGR10A2Unorm",
        "RG32Uint",
        "RG32Sint",
        "RG32Float",
        "RGBA16Unorm",
        "RGBA16Snorm",
        "RGBA16Uint",
        "RGBA16Sint",
        "RGBA16Float",
        "RGBA32Uint",
        "RGBA32Sint",
        "RGBA32Float",
        "BC1_RGBA",
        "BC1_RGBA_sRGB",
        "BC2_RGBA",
        "BC2_RGBA_sRGB",
        "BC3_RGBA",
        "BC3_RGBA_sRGB",
        "BC4_RUnorm",
        "BC4_RSnorm",
        "BC5_RGUnorm",
        "BC5_RGSnorm",
        "BC6H_RGBFloat",
        "BC6H_RGBUfloat",
        "BC7_RGBAUnorm",
        "BC7_RGBAUnorm_sRGB",
        "PVRTC_RGB_2BPP",
        "PVRTC_RGB_2BPP_sRGB",
        "PVRTC_RGB_4BPP",
        "PVRTC_RGB_4BPP_sRGB",
        "PVRTC_RGBA_2BPP",
        "PVRTC_RGBA_2BPP_sRGB",
        "PVRTC_RGBA_4BPP",
        "PVRTC_RGBA_4BPP_sRGB",
        "EAC_R11Unorm",
        "EAC_R11Snorm",
        "EAC_RG11Unorm",
        "EAC_RG11Snorm",
        "EAC_RGBA8",
        "EAC_RGBA8_sRGB",
        "ETC2_RGB8",
        "ETC2_RGB8_sRGB",
        "ETC2_RGB8A1",
        "ETC2_RGB8A1_sRGB",
        "ASTC_4x4_sRGB",
        "ASTC_5x4_sRGB",
        "ASTC_5x5_sRGB",
        "ASTC_6x5_sRGB",
        "ASTC_6x6_sRGB",
        "ASTC_8x5_sRGB",
        "ASTC_8x6_sRGB",
        "ASTC_8x8_sRGB",
        "ASTC_10x5_sRGB",
        "ASTC_10x6_sRGB",
        "ASTC_10x8_sRGB",
        "ASTC_10x10_sRGB",
        "ASTC_12x10_sRGB",
        "ASTC_12x12_sRGB",
        "ASTC_4x4_LDR",
        "ASTC_5x4_LDR",
        "ASTC_5x5_LDR",
        "ASTC_6x5_LDR",
        "ASTC_6x6_LDR",
        "ASTC_8x5_LDR",
        "ASTC_8x6_LDR",
        "ASTC_8x8_LDR",
        "ASTC_10x5_LDR",
        "ASTC_10x6_LDR",
        "ASTC_10x8_LDR",
        "ASTC_10x10_LDR",
        "ASTC_12x10_LDR",
        "ASTC_12x12_LDR",
        "ASTC_4x4_HDR",
        "ASTC_5x4_HDR",
        "ASTC_5x5_HDR",
        "ASTC_6x5_HDR",
        "ASTC_6x6_HDR",
        "ASTC_8x5_HDR",
        "ASTC_8x6_HDR",
        "ASTC_8x8_HDR",
        "ASTC_10x5_HDR",
        "ASTC_10x6_HDR",
        "ASTC_10x8_HDR",
        "ASTC_10x10_HDR",
        "ASTC_12x10_HDR",
        "ASTC_12x12_HDR",
        "GBGR422",
        "BGRG422",
        "Depth16Unorm",
        "Depth32Float",
        "Stencil8",
        "Depth24Unorm_Stencil8",
        "Depth32Float_Stencil8",
        "X32_Stencil8",
        "X24_Stencil8",
        "BGRA10_XR",
        "BGRA10_XR_sRGB",
        "BGR10_XR",
        "BGR10_XR_sRGB",
        "BGRA10Uint",
        "BGRA10Unorm",
        "BGRA10Unorm_sRGB",
        "BGRA10Unorm_HLG",
        "BGRA10Unorm_PQ",
    ],
};

/// Formats of vertex attributes.
pub static ATTRIBUTE_FORMATS: Values = Values {
    what: "attribute format",
    names: &[
        "Invalid",
        "Char",
        "Char2",
        "Char3",
        "Char4",
        "UChar",
        "UChar2",
        "UChar3",
        "UChar4",
        "UCharNormalized",
        "UChar2Normalized",
        "UChar3Normalized",
        "UChar4Normalized",
        "CharNormalized",
        "Char2Normalized",
        "Char3Normalized",
        "Char4Normalized",
        "Short",
        "Short2",
        "Short3",
        "Short4",
        "UShort",
        "UShort2",
        "UShort3",
        "UShort4",
        "ShortNormalized",
        "Short2Normalized",
        "Short3Normalized",
        "Short4Normalized",
        "UShortNormalized",
        "UShort2Normalized",
        "UShort3Normalized",
        "UShort4Normalized",
        "Int",
        "Int2",
        "Int3",
        "Int4",
        "UInt",
        "UInt2",
        "UInt3",
        "UInt4",
        "Int1010102Normalized",
        "UInt1010102Normalized",
        "UChar4Normalized_BGRA",
        "Half",
        "Half2",
        "Half3",
        "Half4",
        "Float",
        "Float2",
        "Float3",
        "Float4",
    ],
};

/// Blend factors.
pub static BLEND_FACTORS: Values = Values {
    what: "blend factor",
    names: &[
        "Zero",
        "One",
        "SourceColor",
        "OneMinusSourceColor",
        "SourceAlpha",
        "OneMinusSourceAlpha",
        "DestinationColor",
        "OneMinusDestinationColor",
        "DestinationAlpha",
        "OneMinusDestinationAlpha",
        "SourceAlphaSaturated",
        "BlendColor",
        "OneMinusBlendColor",
        "BlendAlpha",
        "OneMinusBlendAlpha",
        "Source1Color",
        "OneMinusSource1Color",
        "Source1Alpha",
        "OneMinusSource1Alpha",
    ],
};

/// Blend operations.
pub static BLEND_OPERATIONS: Values = Values {
    what: "blend operation",
    names: &["Add", "Subtract", "ReverseSubtract", "Min", "Max"],
};

/// Words of a write mask.
pub static WRITE_MASKS: Values = Values {
    what: "word of a write mask",
    names: &["None", "Red", "Green", "Blue", "Alpha", "All"],
};

/// Primitive topologies.
pub static TOPOLOGIES: Values =
    Values { what: "primitive topology", names: &["Unspecified", "Point", "Line", "Triangle"] };

/// Formats of tessellation factors.
pub static FACTOR_FORMATS: Values = Values { what: "tessellation factor format", names: &["Half"] };

/// Types of indices.
pub static INDEX_TYPES: Values = Values { what: "index type", names: &["UInt16", "UInt32"] };

/// Types of control point indices.
pub static CONTROL_INDEX_TYPES: Values =
    Values { what: "control point index type", names: &["None", "UInt16", "UInt32"] };

/// Step functions of tessellation factors.
pub static FACTOR_STEPS: Values = Values {
    what: "tessellation step function",
    names: &["Constant", "PerPatch", "PerInstance", "PerPatchAndPerInstance"],
};

/// Winding orders.
pub static WINDINGS: Values =
    Values { what: "winding order", names: &["Clockwise", "CounterClockwise"] };

/// Partition modes.
pub static PARTITIONS: Values = Values {
    what: "partition mode",
    names: &["Pow2", "Integer", "FractionalOdd", "FractionalEven"],
};

/// Step functions of vertex layouts.
pub static VERTEX_STEPS: Values = Values {
    what: "step function",
    names: &["Constant", "PerInstance", "PerPatch", "PerPatchControlPoint", "PerVertex"],
};

/// Step functions of the layouts of a stage input.
pub static STAGE_STEPS: Values = Values {
    what: "step function",
    names: &[
        "Constant",
        "PerInstance",
        "PerPatch",
        "PerPatchControlPoint",
        "PerVertex",
        "ThreadPositionInGridX",
        "ThreadPositionInGridY",
        "ThreadPositionInGridXIndexed",
        "ThreadPositionInGridYIndexed",
    ],
};

/// Mutabilities of buffers.
pub static MUTABILITIES: Values =
    Values { what: "mutability", names: &["Default", "Mutable", "Immutable"] };

/// How a constant is named.
pub static ID_TYPES: Values =
    Values { what: "id type", names: &["FunctionConstantIndex", "FunctionConstantName"] };

/// Nodes of a stitching graph.
pub static NODE_TYPES: Values = Values { what: "node type", names: &["InputNode", "FunctionNode"] };

/// Attributes of a stitching graph.
pub static ATTRIBUTE_TYPES: Values =
    Values { what: "graph attribute", names: &["AlwaysInlineAttribute"] };

/// What booleans became in Metal 4.
pub static STATES: Values = Values { what: "state", names: &["Enabled", "Disabled"] };

/// Types of constants.
pub static CONSTANT_TYPES: Values = Values {
    what: "constant type",
    names: &[
        "ConstantBool",
        "ConstantBool2",
        "ConstantBool3",
        "ConstantBool4",
        "ConstantChar",
        "ConstantChar2",
        "ConstantChar3",
        "ConstantChar4",
        "ConstantUChar",
        "ConstantUChar2",
        "ConstantUChar3",
        "ConstantUChar4",
        "ConstantShort",
        "ConstantShort2",
        "ConstantShort3",
        "ConstantShort4",
        "ConstantUShort",
        "ConstantUShort2",
        "ConstantUShort3",
        "ConstantUShort4",
        "ConstantInt",
        "ConstantInt2",
        "ConstantInt3",
        "ConstantInt4",
        "ConstantUInt",
        "ConstantUInt2",
        "ConstantUInt3",
        "ConstantUInt4",
        "ConstantLong",
        "ConstantLong2",
        "ConstantLong3",
        "ConstantLong4",
        "ConstantULong",
        "ConstantULong2",
        "ConstantULong3",
        "ConstantULong4",
        "ConstantFloat",
        "ConstantFloat2",
        "ConstantFloat3",
        "ConstantFloat4",
        "ConstantHalf",
        "ConstantHalf2",
        "ConstantHalf3",
        "ConstantHalf4",
    ],
};

/// GPU families of predicates.
pub static FAMILIES: Values = Values {
    what: "GPU family",
    names: &[
        "apple1", "apple2", "apple3", "apple4", "apple5", "apple6", "apple7", "apple8", "apple9",
        "mac2", "common1", "common2", "common3", "metal3",
    ],
};

impl Values {
    /// Whether a name is one of them.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_complete() {
        let counts = [
            (&PIXEL_FORMATS, 144),
            (&ATTRIBUTE_FORMATS, 52),
            (&BLEND_FACTORS, 19),
            (&CONSTANT_TYPES, 44),
        ];
        for (values, count) in counts {
            let mut names = values.names.to_vec();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{}", values.what);
        }
    }
}
