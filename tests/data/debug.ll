; A module of all that ids are in: instructions, constants, debug information. It is here for
; its records, not for what it computes.
source_filename = "sum.metal"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64-apple-macosx14.0.0"

%struct.pair = type { i32, float }

@table = internal addrspace(2) constant [4 x i32] [i32 1, i32 2, i32 3, i32 5], align 4, !dbg !0
@pairs = internal addrspace(2) constant [2 x %struct.pair] [%struct.pair { i32 7, float 1.5 }, %struct.pair { i32 9, float 2.5 }]
@place = internal addrspace(2) constant i32 addrspace(2)* getelementptr inbounds ([4 x i32], [4 x i32] addrspace(2)* @table, i64 0, i64 2)
@either = internal global i32 addrspace(2)* select (i1 icmp eq (i64 ptrtoint ([4 x i32] addrspace(2)* @table to i64), i64 0), i32 addrspace(2)* getelementptr inbounds ([4 x i32], [4 x i32] addrspace(2)* @table, i64 0, i64 1), i32 addrspace(2)* null)
@targets = internal global [2 x i8*] [i8* blockaddress(@jump, %first), i8* blockaddress(@jump, %second)]
@other = internal alias [4 x i32], [4 x i32] addrspace(2)* @table

declare void @llvm.dbg.declare(metadata, metadata, metadata) #1
declare void @llvm.dbg.value(metadata, metadata, metadata) #1
declare void @llvm.dbg.label(metadata) #1
declare void @llvm.assume(i1)
declare void @llvm.experimental.noalias.scope.decl(metadata)
declare !dbg !60 i32 @imported(i32)
declare i32 @air.fence(i32, ...)

define void @sum(float addrspace(1)* %in, float addrspace(1)* %out, i32 %count) #0 !dbg !10 {
entry:
  %local = alloca float, align 4
  call void @llvm.dbg.declare(metadata float* %local, metadata !20, metadata !DIExpression()), !dbg !23
  call void @llvm.dbg.value(metadata i32 %count, metadata !21, metadata !DIExpression()), !dbg !23
  store float 0.0, float* %local, align 4, !dbg !23, !tbaa !70
  call void @llvm.experimental.noalias.scope.decl(metadata !80), !dbg !23
  %any = icmp sgt i32 %count, 0, !dbg !24
  br i1 %any, label %loop, label %exit, !dbg !24

loop:
  %index = phi i32 [ 0, %entry ], [ %next, %loop ], !dbg !24
  %wide = sext i32 %index to i64, !dbg !25
  %from = getelementptr inbounds float, float addrspace(1)* %in, i64 %wide, !dbg !25
  %value = load float, float addrspace(1)* %from, align 4, !dbg !25, !tbaa !70, !alias.scope !80, !noalias !83
  %before = load float, float* %local, align 4, !dbg !25, !tbaa !70
  %after = fadd fast float %before, %value, !dbg !25
  call void @llvm.dbg.value(metadata !DIArgList(i32 %index, i32 %count, i32 3), metadata !21, metadata !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value)), !dbg !25
  store float %after, float* %local, align 4, !dbg !25, !tbaa !70
  %next = add nuw nsw i32 %index, 1, !dbg !24
  %more = icmp slt i32 %next, %count, !dbg !24
  br i1 %more, label %loop, label %exit, !dbg !26, !llvm.loop !50

exit:
  call void @llvm.dbg.label(metadata !27), !dbg !28
  %total = load float, float* %local, align 4, !dbg !28
  store float %total, float addrspace(1)* %out, align 4, !dbg !28
  %called = call i32 @helper(i32 %count, <4 x float> <float 1.0, float 2.0, float 3.0, float 4.0>) [ "tag"(i32 %count, float %total) ], !dbg !28
  %more.args = call i32 (i32, ...) @air.fence(i32 %called, i32 4, float %total), !dbg !28
  br label %wait, !dbg !28

wait:
  %turn = phi i32 [ 0, %exit ], [ %turned, %wait ]
  %turned = add i32 %turn, 1
  %done = icmp eq i32 %turned, 4
  br i1 %done, label %end, label %wait, !llvm.loop !55

end:
  ret void, !dbg !28
}

define internal i32 @helper(i32 %a, <4 x float> %v) !dbg !40 {
  %slot = alloca i32
  %one = extractelement <4 x float> %v, i32 %a, !dbg !41
  %two = insertelement <4 x float> %v, float %one, i32 2, !dbg !41
  %three = shufflevector <4 x float> %two, <4 x float> undef, <4 x i32> <i32 0, i32 2, i32 1, i32 3>, !dbg !41
  %negated = fneg <4 x float> %three, !dbg !41
  %fixed = freeze <4 x float> %negated
  %less = fcmp olt float %one, 3.0
  %chosen = select i1 %less, i32 %a, i32 11
  %aggregate = insertvalue { i32, i32 } undef, i32 %chosen, 0
  %back = extractvalue { i32, i32 } %aggregate, 1
  %old = atomicrmw add i32* %slot, i32 %back seq_cst
  %both = cmpxchg i32* %slot, i32 %old, i32 7 acq_rel monotonic
  fence seq_cst
  %again = load atomic i32, i32* %slot acquire, align 4
  store atomic i32 %again, i32* %slot release, align 4
  %imported = call i32 @imported(i32 %again), !dbg !42
  switch i32 %imported, label %default [
    i32 1, label %yes
    i32 100, label %no
  ], !dbg !42
yes:
  br label %default
no:
  unreachable
default:
  %result = phi i32 [ %chosen, %0 ], [ %later, %yes2 ], [ 1000, %yes ]
  %known = icmp ne i32 %result, 12
  call void @llvm.assume(i1 %known) [ "align"(i32* %slot, i64 4) ]
  br i1 %known, label %yes2, label %out
yes2:
  %later = mul i32 %result, 3
  br label %default
out:
  ret i32 %result
}

define internal i32 @jump(i8* %to) {
  indirectbr i8* %to, [label %first, label %second]
first:
  ret i32 1
second:
  ret i32 poison
}

attributes #0 = { nounwind }
attributes #1 = { nofree nosync nounwind readnone speculatable willreturn }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!3, !4, !5}
!llvm.ident = !{!6}
!air.kernel = !{!7}
!air.source_file_name = !{!8}
!llvm.commandline = !{!9}
!llvm_utils.workingdir = !{!8}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "table", scope: !2, file: !11, line: 3, type: !30, isLocal: true, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !11, producer: "a compiler", isOptimized: true, flags: "-g", runtimeVersion: 0, emissionKind: FullDebug, enums: !32, retainedTypes: !36, globals: !37, imports: !38, macros: !39, sysroot: "/", sdk: "kit")
!3 = !{i32 2, !"Dwarf Version", i32 4}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !{i32 1, !"wchar_size", i32 4}
!6 = !{!"a compiler"}
!7 = !{void (float addrspace(1)*, float addrspace(1)*, i32)* @sum, !18, !19}
!8 = !{!"/build/sum.metal"}
!9 = !{!"compiler -g /build/sum.metal"}
!10 = distinct !DISubprogram(name: "sum", linkageName: "sum", scope: !12, file: !11, line: 10, type: !13, scopeLine: 11, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, templateParams: !15, retainedNodes: !16)
!11 = !DIFile(filename: "sum.metal", directory: "/build", checksumkind: CSK_MD5, checksum: "00000000000000000000000000000000", source: "kernel")
!12 = !DINamespace(name: "ns", scope: !14)
!13 = !DISubroutineType(types: !17)
!14 = !DIModule(scope: null, name: "M", configMacros: "-D", includePath: "/include")
!15 = !{!33, !34}
!16 = !{!20, !21, !27}
!17 = !{null, !31, !35}
!18 = !{}
!19 = !{!29}
!20 = !DILocalVariable(name: "local", scope: !22, file: !11, line: 12, type: !31, align: 32)
!21 = !DILocalVariable(name: "count", arg: 3, scope: !10, file: !11, line: 10, type: !31)
!22 = distinct !DILexicalBlock(scope: !10, file: !11, line: 11, column: 3)
!23 = !DILocation(line: 12, column: 9, scope: !22)
!24 = !DILocation(line: 13, column: 9, scope: !43)
!25 = !DILocation(line: 14, column: 9, scope: !43, inlinedAt: !26)
!26 = distinct !DILocation(line: 15, column: 9, scope: !22)
!27 = !DILabel(scope: !10, name: "end", file: !11, line: 16)
!28 = !DILocation(line: 16, column: 1, scope: !10)
!29 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1}
!30 = !DICompositeType(tag: DW_TAG_array_type, baseType: !31, size: 128, elements: !44)
!31 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!32 = !{!45}
!33 = !DITemplateTypeParameter(name: "T", type: !31)
!34 = !DITemplateValueParameter(name: "N", type: !31, value: i32 77)
!35 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !31, size: 64, dwarfAddressSpace: 1)
!36 = !{!35, !47, !63}
!37 = !{!0}
!38 = !{!48}
!39 = !{!49}
!40 = distinct !DISubprogram(name: "helper", scope: !11, file: !11, line: 30, type: !13, scopeLine: 30, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition, unit: !2, declaration: !62, retainedNodes: !18, thrownTypes: !18)
!41 = !DILocation(line: 31, column: 1, scope: !40)
!42 = !DILocation(line: 32, column: 1, scope: !40)
!43 = !DILexicalBlockFile(scope: !22, file: !11, discriminator: 2)
!44 = !{!51, !52}
!45 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "E", file: !11, line: 1, baseType: !31, size: 32, elements: !53, identifier: "_ZTS1E")
!46 = !DIObjCProperty(name: "p", file: !11, line: 7, setter: "set", getter: "get", attributes: 7, type: !31)
!47 = !DIStringType(name: "text", stringLength: !1, size: 32)
!48 = !DIImportedEntity(tag: DW_TAG_imported_declaration, scope: !12, entity: !31, file: !11, line: 8)
!49 = !DIMacroFile(line: 1, file: !11, nodes: !54)
!50 = distinct !{!50, !24, !26, !57}
!51 = !DISubrange(count: 4, lowerBound: 1)
!52 = !DIGenericSubrange(count: !1, lowerBound: !DIExpression(DW_OP_constu, 1), stride: !DIExpression(DW_OP_constu, 4))
!53 = !{!58, !59}
!54 = !{!61}
!55 = distinct !{!55, !24, !26}
!63 = !DICompositeType(tag: DW_TAG_structure_type, name: "S", file: !11, line: 2, size: 32, elements: !64, templateParams: !15, runtimeLang: DW_LANG_ObjC)
!64 = !{!65, !46}
!65 = !DIDerivedType(tag: DW_TAG_member, name: "m", scope: !63, file: !11, line: 3, baseType: !31, size: 32, extraData: !46)
!57 = !{!"llvm.loop.mustprogress"}
!58 = !DIEnumerator(name: "A", value: -3)
!59 = !DIEnumerator(name: "B", value: 18446744073709551616)
!60 = !DISubprogram(name: "imported", scope: !11, file: !11, line: 40, type: !13, flags: DIFlagPrototyped, spFlags: DISPFlagOptimized, retainedNodes: !18)
!61 = !DIMacro(type: DW_MACINFO_define, line: 1, name: "X", value: "1")
!62 = !DISubprogram(name: "helper", scope: !11, file: !11, line: 29, type: !13, spFlags: 0, containingType: !45, virtualIndex: 2, retainedNodes: !18)
!70 = !{!71, !71, i64 0}
!71 = !{!"float", !72, i64 0}
!72 = !{!"omnipotent char", !73, i64 0}
!73 = !{!"Simple C++ TBAA"}
!80 = !{!81}
!81 = distinct !{!81, !82, !"air-alias-scope-arg(0)"}
!82 = distinct !{!82, !"air-alias-scopes(sum)"}
!83 = !{!84}
!84 = distinct !{!84, !82, !"air-alias-scope-arg(1)"}
