; A vertex function of tessellated patches that reads its control points itself. `llvm-as` of
; LLVM 14 makes patch.bc of it.
source_filename = "surface"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64-apple-macosx14.0.0"

define <4 x float> @surface(i32 %patch) {
  ret <4 x float> zeroinitializer
}

!air.vertex = !{!0}
!air.version = !{!6}
!air.language_version = !{!7}

!0 = !{<4 x float> (i32)* @surface, !1, !3, !5}
!1 = !{!2}
!2 = !{!"air.position", !"air.arg_type_name", !"float4"}
!3 = !{!4}
!4 = !{i32 0, !"air.patch_id", !"air.arg_type_name", !"uint", !"air.arg_name", !"patch"}
!5 = !{!"air.patch", !"quad", !"air.patch_control_point", i32 16}
!6 = !{i32 2, i32 6, i32 0}
!7 = !{!"Metal", i32 3, i32 1, i32 0}
