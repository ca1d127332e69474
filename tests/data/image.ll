; A Core Image function with an argument of each kind that is known: plain, texture, sampler and
; pointer. `llvm-as` of LLVM 14 makes image.bc of it.
source_filename = ""
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64-apple-macosx14.0.0"

%texture = type opaque
%sampler = type opaque

define <4 x float> @shift(%texture addrspace(1)* %image, %sampler addrspace(2)* %linear, [4 x <4 x float>] addrspace(2)* %matrix, float %amount) {
  ret <4 x float> zeroinitializer
}

!air.ci = !{!0}
!air.version = !{!7}
!air.language_version = !{!8}

!0 = !{<4 x float> (%texture addrspace(1)*, %sampler addrspace(2)*, [4 x <4 x float>] addrspace(2)*, float)* @shift, !1, !2}
!1 = !{!9}
!2 = !{!3, !4, !5, !6}
!3 = !{i32 0, !"air.ci_texture", !"air.location_count", i32 1, !"air.arg_type_name", !"texture2d<float, sample>", !"air.arg_name", !"image"}
!4 = !{i32 1, !"air.ci_sampler", !"air.arg_type_name", !"sampler", !"air.arg_name", !"linear"}
!5 = !{i32 2, !"air.ci_pointer", !"air.read", !"air.arg_type_size", i32 64, !"air.arg_type_align_size", i32 16, !"air.arg_type_name", !"float4x4", !"air.arg_name", !"matrix"}
!6 = !{i32 3, !"air.ci_builtin", !"air.arg_type_name", !"float", !"air.arg_name", !"amount"}
!7 = !{i32 2, i32 6, i32 0}
!8 = !{!"Metal", i32 3, i32 1, i32 0}
!9 = !{!"air.ci_builtin", !"air.arg_type_name", !"float4"}
