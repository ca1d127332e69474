; What another compiler's output may look like: a kernel, a vertex and a fragment function with
; the metadata that a library is derived from, and a function that two of them call. Written by
; hand; `llvm-as` of LLVM 14 makes tests/data/pipeline.bc of it.
source_filename = "pipeline.ll"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64-apple-macosx14.0.0"

%shaded = type { <4 x float>, <4 x float> }

@scale_by = internal addrspace(2) constant float 2.0, align 4

declare <4 x float> @air.sqrt.v4f32(<4 x float>)

define internal float @twice(float %value) #0 {
  %factor = load float, float addrspace(2)* @scale_by, align 4
  %result = fmul fast float %value, %factor
  ret float %result
}

define %shaded @shade_vertex(<4 x float> %place, <4 x float> %tint, <4 x float> %unused) #0 {
  %first = insertvalue %shaded undef, <4 x float> %place, 0
  %both = insertvalue %shaded %first, <4 x float> %tint, 1
  ret %shaded %both
}

define <4 x float> @shade_fragment(<4 x float> %place, <4 x float> %tint) #0 {
  %red = extractelement <4 x float> %tint, i64 0
  %more = tail call float @twice(float %red)
  %color = insertelement <4 x float> %tint, float %more, i64 0
  %root = tail call <4 x float> @air.sqrt.v4f32(<4 x float> %color)
  ret <4 x float> %root
}

define void @scale(float addrspace(1)* nocapture %values, i32 %index) #0 {
  %wide = zext i32 %index to i64
  %at = getelementptr inbounds float, float addrspace(1)* %values, i64 %wide
  %old = load float, float addrspace(1)* %at, align 4
  %new = tail call float @twice(float %old)
  store float %new, float addrspace(1)* %at, align 4
  ret void
}

attributes #0 = { nounwind }

!llvm.module.flags = !{!0, !1}
!air.vertex = !{!2}
!air.fragment = !{!10}
!air.kernel = !{!20}
!air.version = !{!30}
!air.language_version = !{!31}
!air.source_file_name = !{!32}
!llvm.ident = !{!33}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"air.max_device_buffers", i32 31}

!2 = !{%shaded (<4 x float>, <4 x float>, <4 x float>)* @shade_vertex, !3, !6}
!3 = !{!4, !5}
!4 = !{!"air.position", !"air.arg_type_name", !"float4", !"air.arg_name", !"place"}
!5 = !{!"air.vertex_output", !"generated(4tintDv4_f)", !"air.arg_type_name", !"float4", !"air.arg_name", !"tint"}
!6 = !{!7, !8, !9}
!7 = !{i32 0, !"air.vertex_input", !"air.location_index", i32 0, i32 1, !"air.arg_type_name", !"float4", !"air.arg_name", !"place"}
!8 = !{i32 1, !"air.vertex_input", !"air.location_index", i32 1, i32 1, !"air.arg_type_name", !"float4", !"air.arg_name", !"tint"}
!9 = !{i32 2, !"air.vertex_input", !"air.location_index", i32 3, i32 1, !"air.arg_type_name", !"float4", !"air.arg_name", !"unused"}

!10 = !{<4 x float> (<4 x float>, <4 x float>)* @shade_fragment, !11, !13}
!11 = !{!12}
!12 = !{!"air.render_target", i32 0, i32 0, !"air.arg_type_name", !"float4"}
!13 = !{!14, !15}
!14 = !{i32 0, !"air.position", !"air.center", !"air.no_perspective", !"air.arg_type_name", !"float4", !"air.arg_name", !"place"}
!15 = !{i32 1, !"air.fragment_input", !"generated(4tintDv4_f)", !"air.center", !"air.perspective", !"air.arg_type_name", !"float4", !"air.arg_name", !"tint"}

!20 = !{void (float addrspace(1)*, i32)* @scale, !21, !22}
!21 = !{}
!22 = !{!23, !24}
!23 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"values"}
!24 = !{i32 1, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint", !"air.arg_name", !"index"}

!30 = !{i32 2, i32 6, i32 0}
!31 = !{!"Metal", i32 3, i32 1, i32 0}
!32 = !{!"pipeline.ll"}
!33 = !{!"a hand and llvm-as"}
