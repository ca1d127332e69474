; quad_vertex: a vertex function that places a corner of a quad and hands its
; colour on. quad_fragment is its counterpart.
;
; Equivalent Metal source:
;
;   #include <metal_stdlib>
;   using namespace metal;
;
;   struct QuadCorner {
;       float2 position [[attribute(0)]];
;       float4 color [[attribute(1)]];
;   };
;
;   struct QuadPoint {
;       float4 position [[position]];
;       float4 color;
;   };
;
;   vertex QuadPoint quad_vertex(QuadCorner corner [[stage_in]])
;   {
;       QuadPoint point;
;       point.position = float4(corner.position, 0.0, 1.0);
;       point.color = corner.color;
;       return point;
;   }

source_filename = "quad_vertex"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64-apple-macosx14.0.0"

; Arguments: %0 position, %1 color. Result: position and color.
define <{ <4 x float>, <4 x float> }> @quad_vertex(<2 x float> %0, <4 x float> %1) local_unnamed_addr #0 {
  %3 = shufflevector <2 x float> %0, <2 x float> zeroinitializer, <4 x i32> <i32 0, i32 1, i32 2, i32 undef>
  %4 = insertelement <4 x float> %3, float 1.000000e+00, i64 3
  %5 = insertvalue <{ <4 x float>, <4 x float> }> undef, <4 x float> %4, 0
  %6 = insertvalue <{ <4 x float>, <4 x float> }> %5, <4 x float> %1, 1
  ret <{ <4 x float>, <4 x float> }> %6
}

attributes #0 = { mustprogress nofree norecurse nosync nounwind readnone willreturn "approx-func-fp-math"="true" "frame-pointer"="all" "min-legal-vector-width"="128" "no-builtins" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "unsafe-fp-math"="true" }

!llvm.module.flags = !{!0, !1, !2, !3, !4, !5, !6, !7, !8}
!llvm.ident = !{!9}
!air.version = !{!10}
!air.language_version = !{!11}
!air.compile_options = !{!12, !13, !14}
!air.vertex = !{!15}

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
!15 = !{<{ <4 x float>, <4 x float> }> (<2 x float>, <4 x float>)* @quad_vertex, !16, !19}
!16 = !{!17, !18}
!17 = !{!"air.position", !"air.arg_type_name", !"float4", !"air.arg_name", !"position"}
!18 = !{!"air.vertex_output", !"generated(5colorDv4_f)", !"air.arg_type_name", !"float4", !"air.arg_name", !"color"}
!19 = !{!20, !21}
!20 = !{i32 0, !"air.vertex_input", !"air.location_index", i32 0, i32 1, !"air.arg_type_name", !"float2", !"air.arg_name", !"position"}
!21 = !{i32 1, !"air.vertex_input", !"air.location_index", i32 1, i32 1, !"air.arg_type_name", !"float4", !"air.arg_name", !"color"}
