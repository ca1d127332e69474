; A vertex function whose module gives every tag of a vertex function: VATT and VATY with an
; attribute that is used and one that is not, CNST, LAYR and DEBI. `llvm-as` of LLVM 14 makes
; vertex.bc of it.
source_filename = "transform"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64-apple-macosx14.0.0"

%out = type { <4 x float>, i32 }

@scale = external addrspace(2) constant float
@flip = external addrspace(2) constant i1

declare void @llvm.dbg.value(metadata, metadata, metadata)

define %out @transform(<4 x float> %position, <4 x half> %color, i32 %layer) !dbg !20 {
entry:
  call void @llvm.dbg.value(metadata <4 x half> %color, metadata !24, metadata !DIExpression()), !dbg !25
  %first = insertvalue %out undef, <4 x float> %position, 0, !dbg !25
  %both = insertvalue %out %first, i32 %layer, 1, !dbg !25
  ret %out %both, !dbg !25
}

!air.vertex = !{!0}
!air.function_constants = !{!8, !9}
!air.version = !{!10}
!air.language_version = !{!11}
!llvm.module.flags = !{!12}
!llvm.dbg.cu = !{!21}

!0 = !{%out (<4 x float>, <4 x half>, i32)* @transform, !1, !4}
!1 = !{!2, !3}
!2 = !{!"air.position", !"air.arg_type_name", !"float4", !"air.arg_name", !"position"}
!3 = !{!"air.render_target_array_index", !"air.arg_type_name", !"uint", !"air.arg_name", !"layer"}
!4 = !{!5, !6, !7}
!5 = !{i32 0, !"air.vertex_input", !"air.location_index", i32 0, i32 1, !"air.arg_type_name", !"float4", !"air.arg_name", !"position"}
!6 = !{i32 1, !"air.vertex_input", !"air.location_index", i32 3, i32 1, !"air.arg_type_name", !"half4", !"air.arg_name", !"color"}
!7 = !{i32 2, !"air.instance_id", !"air.arg_type_name", !"uint", !"air.arg_name", !"layer"}
!8 = !{float addrspace(2)* @scale, !"float", !"scale", i32 0, i1 true}
!9 = !{i1 addrspace(2)* @flip, !"bool", !"flip", i32 7, i1 false}
!10 = !{i32 2, i32 6, i32 0}
!11 = !{!"Metal", i32 3, i32 1, i32 0}
!12 = !{i32 2, !"Debug Info Version", i32 3}
!20 = distinct !DISubprogram(name: "transform", scope: !22, file: !22, line: 12, type: !23, scopeLine: 13, spFlags: DISPFlagDefinition, unit: !21, retainedNodes: !26)
!21 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !22, producer: "metal", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)
!22 = !DIFile(filename: "shaders/transform.metal", directory: "/src")
!23 = !DISubroutineType(types: !26)
!24 = !DILocalVariable(name: "color", arg: 2, scope: !20, file: !22, line: 12)
!25 = !DILocation(line: 14, column: 3, scope: !20)
!26 = !{}
