; vector_add: a kernel that adds two buffers element by element.
;
; Equivalent Metal source:
;
;   #include <metal_stdlib>
;   using namespace metal;
;
;   kernel void vector_add(device const float *a [[buffer(0)]],
;                          device const float *b [[buffer(1)]],
;                          device float *out [[buffer(2)]],
;                          uint index [[thread_position_in_grid]])
;   {
;       out[index] = a[index] + b[index];
;   }

source_filename = "vector_add"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64-apple-macosx14.0.0"

; Arguments: %0 a, %1 b, %2 out, %3 index.
define void @vector_add(float addrspace(1)* nocapture noundef readonly "air-buffer-no-alias" %0, float addrspace(1)* nocapture noundef readonly "air-buffer-no-alias" %1, float addrspace(1)* nocapture noundef writeonly "air-buffer-no-alias" %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = zext i32 %3 to i64
  %6 = getelementptr inbounds float, float addrspace(1)* %0, i64 %5
  %7 = getelementptr inbounds float, float addrspace(1)* %1, i64 %5
  %8 = getelementptr inbounds float, float addrspace(1)* %2, i64 %5
  %9 = load float, float addrspace(1)* %6, align 4, !tbaa !22, !alias.scope !26, !noalias !29
  %10 = load float, float addrspace(1)* %7, align 4, !tbaa !22, !alias.scope !27, !noalias !30
  %11 = fadd fast float %9, %10
  store float %11, float addrspace(1)* %8, align 4, !tbaa !22, !alias.scope !28, !noalias !31
  ret void
}

attributes #0 = { argmemonly mustprogress nofree norecurse nosync nounwind willreturn "approx-func-fp-math"="true" "frame-pointer"="all" "min-legal-vector-width"="0" "no-builtins" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "unsafe-fp-math"="true" }

!llvm.module.flags = !{!0, !1, !2, !3, !4, !5, !6, !7, !8}
!llvm.ident = !{!9}
!air.version = !{!10}
!air.language_version = !{!11}
!air.compile_options = !{!12, !13, !14}
!air.kernel = !{!15}

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
!15 = !{void (float addrspace(1)*, float addrspace(1)*, float addrspace(1)*, i32)* @vector_add, !16, !17}
!16 = !{}
!17 = !{!18, !19, !20, !21}
!18 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"a"}
!19 = !{i32 1, !"air.buffer", !"air.location_index", i32 1, i32 1, !"air.read", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"b"}
!20 = !{i32 2, !"air.buffer", !"air.location_index", i32 2, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"out"}
!21 = !{i32 3, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint", !"air.arg_name", !"index"}

; Type-based alias information: every access is a float.
!22 = !{!23, !23, i64 0}
!23 = !{!"float", !24, i64 0}
!24 = !{!"omnipotent char", !25, i64 0}
!25 = !{!"Simple C++ TBAA"}

; Alias scopes: one per buffer argument (a, b, out), and for each the other two.
!26 = !{!32}
!27 = !{!33}
!28 = !{!34}
!29 = !{!33, !34}
!30 = !{!32, !34}
!31 = !{!32, !33}
!32 = distinct !{!32, !35, !"air-alias-scope-arg(0)"}
!33 = distinct !{!33, !35, !"air-alias-scope-arg(1)"}
!34 = distinct !{!34, !35, !"air-alias-scope-arg(2)"}
!35 = distinct !{!35, !"air-alias-scopes(vector_add)"}
