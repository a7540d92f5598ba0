// The receiving thread on amd64. See thread in thread_linux.go.
//
// R12 = the thread's memory, BX = the slot at hand, R13 = the block at the end of
// the log, R14 = the event at hand, R15 = events left. A system call changes
// AX, CX and R11 alone.

#include "go_asm.h"
#include "textflag.h"

#define SYS_write 1
#define SYS_close 3
#define SYS_mmap 9
#define SYS_rt_sigprocmask 14
#define SYS_sched_yield 24
#define SYS_recvmsg 47
#define SYS_clone 56
#define SYS_exit 60
#define SYS_clock_gettime 228
#define SYS_epoll_ctl 233
#define SYS_epoll_pwait 281

#define EINTR 4
#define EAGAIN 11
#define SIG_SETMASK 2
#define EPOLL_CTL_MOD 3
#define MSG_DONTWAIT 0x40
#define CLOCK_MONOTONIC 1
#define PROT_READ_WRITE 3
#define MAP_PRIVATE_ANON 0x22

// CLONE_VM, FS, FILES, SIGHAND, THREAD, SYSVSEM, PARENT_SETTID, CHILD_CLEARTID
#define CLONE_FLAGS 0x350f00

// Fields of the kernel's structures.
#define iov_base thread_iov+0
#define iov_len thread_iov+8
#define msg_control thread_msg+32
#define msg_controllen thread_msg+40
#define event_size 12
#define event_id 4

// func start(t *thread) (errno int32)
TEXT ·start(SB), NOSPLIT, $16-12
	MOVQ	t+0(FP), R12
	// Block all signals, for the new thread inherits it.
	MOVQ	$-1, AX
	MOVQ	AX, all-8(SP)
	MOVL	$SIG_SETMASK, DI
	LEAQ	all-8(SP), SI
	LEAQ	old-16(SP), DX
	MOVL	$8, R10
	MOVL	$SYS_rt_sigprocmask, AX
	SYSCALL
	MOVL	$CLONE_FLAGS, DI
	LEAQ	(thread_stack+1008)(R12), SI
	LEAQ	thread_tid(R12), DX
	MOVQ	DX, R10
	XORL	R8, R8
	MOVL	$SYS_clone, AX
	SYSCALL
	TESTQ	AX, AX
	JEQ	child
	XORL	CX, CX
	TESTQ	AX, AX
	CMOVQLT	AX, CX
	NEGL	CX
	MOVL	CX, errno+8(FP)
	MOVL	$SIG_SETMASK, DI
	LEAQ	old-16(SP), SI
	XORL	DX, DX
	MOVL	$8, R10
	MOVL	$SYS_rt_sigprocmask, AX
	SYSCALL
	RET
child:
	JMP	run<>(SB)

// run waits for events and serves them, until quit.
TEXT run<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	thread_tail(R12), R13
wait:
	MOVL	thread_quit(R12), AX
	TESTL	AX, AX
	JNE	quit
	MOVL	thread_ep(R12), DI
	LEAQ	thread_events(R12), SI
	MOVL	$const_eventsAtOnce, DX
	MOVQ	$-1, R10
	XORL	R8, R8
	MOVL	$8, R9
	MOVL	$SYS_epoll_pwait, AX
	SYSCALL
	CMPQ	AX, $-EINTR
	JEQ	wait
	TESTQ	AX, AX
	JEQ	wait
	JLT	quit
	MOVQ	AX, R15
	LEAQ	thread_events(R12), R14
next:
	MOVLQZX	event_id(R14), AX
	TESTL	AX, AX
	JEQ	served
	IMULQ	$slot__size, AX
	MOVQ	thread_slots(R12), BX
	ADDQ	AX, BX
	MOVL	(R14), AX
	TESTL	$const_writeEvents, AX
	JEQ	reads
	CMPL	slot_blocked(BX), $0
	JEQ	reads
	CALL	writable<>(SB)
reads:
	MOVL	(R14), AX
	TESTL	$const_readEvents, AX
	JEQ	served
	TESTL	$const_endEvents, AX
	JEQ	read
	MOVL	$1, slot_ending(BX)
read:
	CALL	read<>(SB)
served:
	ADDQ	$event_size, R14
	DECQ	R15
	JNE	next
	// Wake the deliverer if it waits for what there is. What was published comes
	// before the look at waits.
	MFENCE
	MOVL	thread_waits(R12), AX
	CMPL	AX, $const_waitsForNothing
	JEQ	wait
	CMPL	AX, $const_waitsForAny
	JEQ	ring
	CMPL	thread_urgent(R12), $0
	JNE	ring
	CMPL	thread_begun(R12), $const_blocksARound
	JLT	wait
ring:
	MOVL	$const_waitsForNothing, CX
	LOCK
	CMPXCHGL	CX, thread_waits(R12)
	JNE	wait
	MOVL	$0, thread_urgent(R12)
	MOVL	$0, thread_begun(R12)
	MOVL	thread_bell(R12), DI
	LEAQ	thread_one(R12), SI
	MOVL	$8, DX
	MOVL	$SYS_write, AX
	SYSCALL
	JMP	wait
quit:
	XORL	DI, DI
	MOVL	$SYS_exit, AX
	SYSCALL
	INT	$3

// writable logs that the socket of BX has room, if a Write waits for it.
TEXT writable<>(SB), NOSPLIT|NOFRAME, $0-0
	XORL	AX, AX
	XCHGL	AX, slot_blocked(BX)
	TESTL	AX, AX
	JEQ	out
	CALL	room<>(SB)
	XORL	R10, R10
	MOVQ	R10, arrival_control(R9)
	MOVL	R10, arrival_controls(R9)
	MOVL	R10, arrival_size(R9)
	MOVL	R10, arrival_from(R9)
	MOVL	$const_arrivedWritable, arrival_what(R9)
	MOVL	$1, thread_urgent(R12)
	CALL	publish<>(SB)
out:
	RET

// room makes R13 a block with room for an arrival and its bytes, and R9 the place
// of the arrival.
TEXT room<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVL	block_n(R13), AX
	CMPL	AX, $const_blockArrivals
	JEQ	fresh
	MOVQ	block_used(R13), CX
	CMPQ	CX, $(const_blockBytes-const_leastRoom)
	JLE	place
fresh:
	MOVQ	thread_spare(R12), AX
	TESTQ	AX, AX
	JEQ	map
	MOVQ	block_below(AX), CX
	LOCK
	CMPXCHGQ	CX, thread_spare(R12)
	JNE	fresh
	LOCK
	DECL	thread_spares(R12)
chain:
	MOVQ	AX, block_next(R13)
	MOVQ	AX, R13
	INCL	thread_begun(R12)
	XORL	AX, AX
place:
	MOVLQZX	AX, R9
	IMULQ	$arrival__size, R9
	LEAQ	block_arrivals(R13)(R9*1), R9
	RET
map:
	XORL	DI, DI
	MOVQ	$block__size, SI
	MOVL	$PROT_READ_WRITE, DX
	MOVL	$MAP_PRIVATE_ANON, R10
	MOVQ	$-1, R8
	XORL	R9, R9
	MOVL	$SYS_mmap, AX
	SYSCALL
	CMPQ	AX, $-4096
	JLS	chain // unsigned: an address
	MOVL	$SYS_sched_yield, AX // until the deliverer gives a block back
	SYSCALL
	JMP	fresh

// publish names the socket of BX in the arrival at R9 and lets the deliverer see
// it.
TEXT publish<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVL	slot_id(BX), AX
	MOVL	AX, arrival_id(R9)
	MOVL	slot_generation(BX), AX
	MOVL	AX, arrival_generation(R9)
	INCL	block_n(R13)
	RET

// read reads what has arrived at the socket of BX, up to its end if that has
// come. R8 = room of a read, R10 = its result.
TEXT read<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVL	slot_refs(BX), AX
hold:
	TESTL	AX, AX
	JEQ	out
	LEAL	1(AX), CX
	LOCK
	CMPXCHGL	CX, slot_refs(BX)
	JNE	hold
	MOVL	$const_readsInTurn, thread_turns(R12)
turn:
	CMPL	slot_finished(BX), $0
	JNE	release
	CMPQ	slot_backlog(BX), $const_socketBacklog
	JLE	go
	MOVL	$1, AX
	XCHGL	AX, slot_paused(BX)
	CMPQ	slot_backlog(BX), $const_socketBacklog
	JGT	release
go:
	CALL	room<>(SB)
	MOVQ	block_used(R13), AX
	MOVQ	$const_blockBytes, R8
	SUBQ	AX, R8
	CMPQ	R8, $const_longestRead
	JLE	limit
	MOVQ	$const_longestRead, R8
limit:
	MOVLQSX	slot_limit(BX), CX
	TESTQ	CX, CX
	JLE	call
	CMPQ	CX, R8
	JGE	call
	MOVQ	CX, R8
call:
	MOVL	AX, arrival_from(R9)
	LEAQ	block_buf(R13)(AX*1), AX
	MOVQ	AX, iov_base(R12)
	MOVQ	R8, iov_len(R12)
	XORL	AX, AX
	XORL	DX, DX
	CMPL	slot_kernel(BX), $0
	JEQ	receive
	LEAQ	arrival_control(R9), AX
	MOVL	$80, DX
receive:
	MOVQ	AX, msg_control(R12)
	MOVQ	DX, msg_controllen(R12)
	MOVL	slot_fd(BX), DI
	LEAQ	thread_msg(R12), SI
	MOVL	$MSG_DONTWAIT, DX
	MOVL	$SYS_recvmsg, AX
	SYSCALL
	CMPQ	AX, $-EINTR
	JEQ	turn
	CMPQ	AX, $-EAGAIN
	JNE	received
	MOVL	$0, slot_full(BX)
	JMP	release
received:
	MOVQ	AX, R10
	MOVL	$CLOCK_MONOTONIC, DI
	LEAQ	arrival_read(R9), SI
	MOVL	$SYS_clock_gettime, AX
	SYSCALL
	TESTQ	R10, R10
	JLE	ended
	MOVQ	msg_controllen(R12), AX
	MOVL	AX, arrival_controls(R9)
	MOVL	R10, arrival_size(R9)
	MOVL	$const_arrivedBytes, arrival_what(R9)
	MOVL	slot_full(BX), AX
	MOVL	AX, arrival_more(R9)
	XORL	AX, AX
	CMPQ	R10, R8
	SETEQ	AX
	MOVL	AX, slot_full(BX)
	ADDQ	R10, block_used(R13)
	LOCK
	ADDQ	R10, slot_backlog(BX)
	CALL	publish<>(SB)
	CMPL	slot_full(BX), $0
	JNE	again
	CMPL	slot_ending(BX), $0
	JEQ	release // empty: later bytes are a new event
again:
	DECL	thread_turns(R12)
	JNE	turn
	// The rest after the others: ask for its event again.
	MOVL	slot_id(BX), AX
	MOVL	AX, (thread_rearm+event_id)(R12)
	MOVL	thread_ep(R12), DI
	MOVL	$EPOLL_CTL_MOD, SI
	MOVL	slot_fd(BX), DX
	LEAQ	thread_rearm(R12), R10
	MOVL	$SYS_epoll_ctl, AX
	SYSCALL
	JMP	release
ended:
	NEGL	R10
	MOVL	R10, arrival_errno(R9)
	XORL	AX, AX
	MOVL	AX, arrival_controls(R9)
	MOVL	AX, arrival_size(R9)
	MOVL	$const_arrivedEnd, arrival_what(R9)
	MOVL	$1, slot_finished(BX)
	CALL	publish<>(SB)
release:
	MOVL	$-1, AX
	LOCK
	XADDL	AX, slot_refs(BX)
	CMPL	AX, $1
	JNE	out
	MOVL	slot_fd(BX), DI
	MOVL	$SYS_close, AX
	SYSCALL
out:
	RET
