; scale: a kernel with two function constants. It multiplies a buffer by factor
; and, when clamp_result is true, clamps the product to the range 0 to 1.
;
; Equivalent Metal source:
;
;   #include <metal_stdlib>
;   using namespace metal;
;
;   constant float factor [[function_constant(0)]];
;   constant bool clamp_result [[function_constant(1)]];
;
;   kernel void scale(device const float *input [[buffer(0)]],
;                     device float *output [[buffer(1)]],
;                     uint index [[thread_position_in_grid]])
;   {
;       float value = input[index] * factor;
;       output[index] = clamp_result ? clamp(value, 0.0f, 1.0f) : value;
;   }

source_filename = "scale"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64-apple-macosx14.0.0"

; A function constant is two globals: the MTL_FC_INIT one, which Metal fills when
; it specialises the function, and the constant's own, which the static
; initialiser copies from it and which the kernel reads.
@llvm.global_ctors = appending global [1 x { i32, void ()*, i8* }] [{ i32, void ()*, i8* } { i32 65535, void ()* @_GLOBAL__sub_I_scale.metal, i8* null }]
@_ZL6factor = internal unnamed_addr addrspace(2) global float undef, align 4
@_Z6factor.MTL_FC_INIT_0_f = internal unnamed_addr addrspace(2) externally_initialized constant float undef, section "air.fc_initializer", align 4
@_ZL12clamp_result = internal unnamed_addr addrspace(2) global i8 undef, align 1
@_Z12clamp_result.MTL_FC_INIT_1_b = internal unnamed_addr addrspace(2) externally_initialized constant i8 undef, section "air.fc_initializer", align 1

define internal void @_GLOBAL__sub_I_scale.metal() #0 section "air.static_init" {
  %1 = load float, float addrspace(2)* @_Z6factor.MTL_FC_INIT_0_f, align 4, !tbaa !23
  store float %1, float addrspace(2)* @_ZL6factor, align 4, !tbaa !23
  %2 = load i8, i8 addrspace(2)* @_Z12clamp_result.MTL_FC_INIT_1_b, align 1, !tbaa !27, !range !29
  store i8 %2, i8 addrspace(2)* @_ZL12clamp_result, align 1, !tbaa !27
  ret void
}

; Arguments: %0 input, %1 output, %2 index.
define void @scale(float addrspace(1)* nocapture noundef readonly "air-buffer-no-alias" %0, float addrspace(1)* nocapture noundef writeonly "air-buffer-no-alias" %1, i32 noundef %2) local_unnamed_addr #1 {
  %4 = zext i32 %2 to i64
  %5 = getelementptr inbounds float, float addrspace(1)* %0, i64 %4
  %6 = load float, float addrspace(1)* %5, align 4, !tbaa !23, !alias.scope !30, !noalias !31
  %7 = load float, float addrspace(2)* @_ZL6factor, align 4, !tbaa !23
  %8 = fmul fast float %6, %7
  %9 = load i8, i8 addrspace(2)* @_ZL12clamp_result, align 1, !tbaa !27, !range !29
  %10 = icmp eq i8 %9, 0
  br i1 %10, label %13, label %11

11:                                               ; clamp_result is true
  %12 = tail call fast float @air.fast_clamp.f32(float %8, float 0.000000e+00, float 1.000000e+00) #3
  br label %13

13:
  %14 = phi float [ %12, %11 ], [ %8, %3 ]
  %15 = getelementptr inbounds float, float addrspace(1)* %1, i64 %4
  store float %14, float addrspace(1)* %15, align 4, !tbaa !23, !alias.scope !31, !noalias !30
  ret void
}

declare float @air.fast_clamp.f32(float, float, float) local_unnamed_addr #2

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn writeonly "approx-func-fp-math"="true" "frame-pointer"="all" "min-legal-vector-width"="0" "no-builtins" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "unsafe-fp-math"="true" }
attributes #1 = { mustprogress nofree norecurse nosync nounwind willreturn "approx-func-fp-math"="true" "frame-pointer"="all" "min-legal-vector-width"="0" "no-builtins" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "unsafe-fp-math"="true" }
attributes #2 = { mustprogress nofree nosync nounwind readnone willreturn }
attributes #3 = { nounwind readnone willreturn }

!llvm.module.flags = !{!0, !1, !2, !3, !4, !5, !6, !7, !8}
!llvm.ident = !{!9}
!air.version = !{!10}
!air.language_version = !{!11}
!air.compile_options = !{!12, !13, !14}
!air.kernel = !{!15}
!air.function_constants = !{!21, !22}

; Module flags: the SDK and the limits the module is compiled for.
!0 = !{i32 2, !"SDK Version", [2 x i32] [i32 14, i32 0]}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 7, !"frame-pointer", i32 2}
!3 = !{i32 7, !"air.max_device_buffers", i32 31}
!4 = !{i32 7, !"air.max_constant_buffers", i32 31}
!5 = !{i32 7, !"air.max_threadgroup_buffers", i32 31}
!6 = !{i32 7, !"air.max_textures", i32 128}
!7 = !{i32 7, !"air.max_read_write_textures", i32 8}
!8 = !{i32 7, !"air.max_samplers", i32 16}

; Producer, AIR 2.6, Metal 3.1 and the compile options.
!9 = !{!"mtlpack examples"}
!10 = !{i32 2, i32 6, i32 0}
!11 = !{!"Metal", i32 3, i32 1, i32 0}
!12 = !{!"air.compile.denorms_disable"}
!13 = !{!"air.compile.fast_math_enable"}
!14 = !{!"air.compile.framebuffer_fetch_enable"}

; The entry: function, outputs, inputs.
!15 = !{void (float addrspace(1)*, float addrspace(1)*, i32)* @scale, !16, !17}
!16 = !{}
!17 = !{!18, !19, !20}
!18 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"input"}
!19 = !{i32 1, !"air.buffer", !"air.location_index", i32 1, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"output"}
!20 = !{i32 2, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint", !"air.arg_name", !"index"}

; The function constants: global, type name, name, index, required.
!21 = !{float addrspace(2)* @_Z6factor.MTL_FC_INIT_0_f, !"float", !"factor", i32 0, i1 true}
!22 = !{i8 addrspace(2)* @_Z12clamp_result.MTL_FC_INIT_1_b, !"bool", !"clamp_result", i32 1, i1 true}

; Type-based alias information for float and bool, and the range of a bool.
!23 = !{!24, !24, i64 0}
!24 = !{!"float", !25, i64 0}
!25 = !{!"omnipotent char", !26, i64 0}
!26 = !{!"Simple C++ TBAA"}
!27 = !{!28, !28, i64 0}
!28 = !{!"bool", !25, i64 0}
!29 = !{i8 0, i8 2}

; Alias scopes: one per buffer argument (input, output).
!30 = !{!32}
!31 = !{!33}
!32 = distinct !{!32, !34, !"air-alias-scope-arg(0)"}
!33 = distinct !{!33, !34, !"air-alias-scope-arg(1)"}
!34 = distinct !{!34, !"air-alias-scopes(scale)"}
