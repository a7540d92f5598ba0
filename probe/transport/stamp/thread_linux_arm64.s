// The receiving thread on arm64. See thread in thread_linux.go.
//
// R19 = the thread's memory, R20 = the slot at hand, R21 = the block at the end of
// the log, R22 = the event at hand, R23 = events left, R24 = the place of an
// arrival, R25 = room of a read, R26 = its result. A system call changes R0 alone.

#include "go_asm.h"
#include "textflag.h"

#define SYS_epoll_ctl 21
#define SYS_epoll_pwait 22
#define SYS_close 57
#define SYS_write 64
#define SYS_exit 93
#define SYS_clock_gettime 113
#define SYS_sched_yield 124
#define SYS_rt_sigprocmask 135
#define SYS_recvmsg 212
#define SYS_clone 220
#define SYS_mmap 222

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
#define iov_base (thread_iov+0)
#define iov_len (thread_iov+8)
#define msg_control (thread_msg+32)
#define msg_controllen (thread_msg+40)
#define event_size 16
#define event_id 8

// func start(t *thread) (errno int32)
TEXT ·start(SB), NOSPLIT, $32-12
	MOVD	t+0(FP), R19
	// Block all signals, for the new thread inherits it.
	MOVD	$-1, R0
	MOVD	R0, all-8(SP)
	MOVD	$SIG_SETMASK, R0
	MOVD	$all-8(SP), R1
	MOVD	$old-16(SP), R2
	MOVD	$8, R3
	MOVD	$SYS_rt_sigprocmask, R8
	SVC
	MOVD	$CLONE_FLAGS, R0
	MOVD	$(thread_stack+1008), R1
	ADD	R19, R1
	MOVD	$thread_tid, R2
	ADD	R19, R2
	MOVD	$0, R3
	MOVD	R2, R4
	MOVD	$SYS_clone, R8
	SVC
	CBZ	R0, child
	MOVD	$0, R5
	CMP	$0, R0
	BGE	restore
	NEG	R0, R5
restore:
	MOVW	R5, errno+8(FP)
	MOVD	$SIG_SETMASK, R0
	MOVD	$old-16(SP), R1
	MOVD	$0, R2
	MOVD	$8, R3
	MOVD	$SYS_rt_sigprocmask, R8
	SVC
	RET
child:
	B	run<>(SB)

// run waits for events and serves them, until quit. It never returns, so that
// the link register is free: what it calls keeps it in R27 and R17.
TEXT run<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	thread_tail(R19), R21
wait:
	MOVWU	thread_quit(R19), R0
	CBNZ	R0, quit
	MOVW	thread_ep(R19), R0
	MOVD	$thread_events, R1
	ADD	R19, R1
	MOVD	$const_eventsAtOnce, R2
	MOVD	$-1, R3
	MOVD	$0, R4
	MOVD	$8, R5
	MOVD	$SYS_epoll_pwait, R8
	SVC
	CMN	$EINTR, R0
	BEQ	wait
	CMP	$0, R0
	BEQ	wait
	BLT	quit
	MOVD	R0, R23
	MOVD	$thread_events, R22
	ADD	R19, R22
next:
	MOVWU	event_id(R22), R0
	CBZ	R0, served
	MOVD	$slot__size, R1
	MUL	R1, R0
	MOVD	thread_slots(R19), R20
	ADD	R0, R20
	MOVWU	(R22), R0
	MOVD	$const_writeEvents, R1
	TST	R1, R0
	BEQ	reads
	MOVWU	slot_blocked(R20), R1
	CBZ	R1, reads
	BL	writable<>(SB)
reads:
	MOVWU	(R22), R0
	MOVD	$const_readEvents, R1
	TST	R1, R0
	BEQ	served
	MOVD	$const_endEvents, R1
	TST	R1, R0
	BEQ	read
	MOVD	$1, R1
	MOVW	R1, slot_ending(R20)
read:
	BL	read<>(SB)
served:
	ADD	$event_size, R22
	SUB	$1, R23
	CBNZ	R23, next
	// Wake the deliverer if it waits for what there is. What was published comes
	// before the look at waits.
	DMB	$0xb // ISH
	MOVWU	thread_waits(R19), R0
	CBZ	R0, wait // waitsForNothing
	CMP	$const_waitsForAny, R0
	BEQ	ring
	MOVWU	thread_urgent(R19), R1
	CBNZ	R1, ring
	MOVWU	thread_begun(R19), R1
	CMP	$const_blocksARound, R1
	BLT	wait
ring:
	MOVD	$thread_waits, R2
	ADD	R19, R2
swap:
	LDAXRW	(R2), R1
	CMPW	R0, R1
	BNE	wait
	STLXRW	ZR, (R2), R3
	CBNZ	R3, swap
	MOVW	ZR, thread_urgent(R19)
	MOVW	ZR, thread_begun(R19)
	MOVW	thread_bell(R19), R0
	MOVD	$thread_one, R1
	ADD	R19, R1
	MOVD	$8, R2
	MOVD	$SYS_write, R8
	SVC
	B	wait
quit:
	MOVD	$0, R0
	MOVD	$SYS_exit, R8
	SVC
	BRK

// writable logs that the socket of R20 has room, if a Write waits for it. It
// keeps its return address in R27.
TEXT writable<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	LR, R27
	MOVD	$slot_blocked, R2
	ADD	R20, R2
swap:
	LDAXRW	(R2), R1
	STLXRW	ZR, (R2), R3
	CBNZ	R3, swap
	CBZ	R1, out
	BL	room<>(SB)
	MOVW	ZR, arrival_controls(R24)
	MOVW	ZR, arrival_size(R24)
	MOVW	ZR, arrival_from(R24)
	MOVD	$const_arrivedWritable, R1
	MOVW	R1, arrival_what(R24)
	MOVD	$1, R1
	MOVW	R1, thread_urgent(R19)
	BL	publish<>(SB)
out:
	JMP	(R27)

// room makes R21 a block with room for an arrival and its bytes, and R24 the
// place of the arrival.
TEXT room<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVWU	block_n(R21), R0
	CMP	$const_blockArrivals, R0
	BEQ	fresh
	MOVD	block_used(R21), R1
	MOVD	$(const_blockBytes-const_leastRoom), R2
	CMP	R2, R1
	BLE	place
fresh:
	MOVD	$thread_spare, R2
	ADD	R19, R2
pop:
	LDAXR	(R2), R0
	CBZ	R0, map
	MOVD	block_below(R0), R1
	STLXR	R1, (R2), R3
	CBNZ	R3, pop
	MOVD	$thread_spares, R2
	ADD	R19, R2
count:
	LDAXRW	(R2), R1
	SUBW	$1, R1
	STLXRW	R1, (R2), R3
	CBNZ	R3, count
chain:
	MOVD	$block_next, R2
	ADD	R21, R2
	STLR	R0, (R2)
	MOVD	R0, R21
	MOVWU	thread_begun(R19), R1
	ADD	$1, R1
	MOVW	R1, thread_begun(R19)
	MOVD	$0, R0
place:
	MOVD	$arrival__size, R1
	MUL	R1, R0, R24
	ADD	$block_arrivals, R24
	ADD	R21, R24
	RET
map:
	CLREX
	MOVD	$0, R0
	MOVD	$block__size, R1
	MOVD	$PROT_READ_WRITE, R2
	MOVD	$MAP_PRIVATE_ANON, R3
	MOVD	$-1, R4
	MOVD	$0, R5
	MOVD	$SYS_mmap, R8
	SVC
	CMN	$4096, R0
	BLS	chain // unsigned: an address
	MOVD	$SYS_sched_yield, R8 // until the deliverer gives a block back
	SVC
	B	fresh

// publish names the socket of R20 in the arrival at R24 and lets the deliverer see
// it.
TEXT publish<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVW	slot_id(R20), R0
	MOVW	R0, arrival_id(R24)
	MOVW	slot_generation(R20), R0
	MOVW	R0, arrival_generation(R24)
	MOVWU	block_n(R21), R0
	ADD	$1, R0
	MOVD	$block_n, R2
	ADD	R21, R2
	STLRW	R0, (R2)
	RET

// read reads what has arrived at the socket of R20, up to its end if that has
// come. It keeps its return address in R27.
TEXT read<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	LR, R27
	MOVD	$slot_refs, R2
	ADD	R20, R2
hold:
	LDAXRW	(R2), R0
	CBZW	R0, out
	ADDW	$1, R0
	STLXRW	R0, (R2), R3
	CBNZ	R3, hold
	MOVD	$const_readsInTurn, R0
	MOVW	R0, thread_turns(R19)
turn:
	MOVWU	slot_finished(R20), R0
	CBNZ	R0, release
	MOVD	slot_backlog(R20), R0
	MOVD	$const_socketBacklog, R1
	CMP	R1, R0
	BLE	go
	MOVD	$slot_paused, R2
	ADD	R20, R2
	MOVD	$1, R0
pause:
	LDAXRW	(R2), R4
	STLXRW	R0, (R2), R3
	CBNZ	R3, pause
	DMB	$0xb // ISH
	MOVD	slot_backlog(R20), R0
	CMP	R1, R0
	BGT	release
go:
	BL	room<>(SB)
	MOVD	block_used(R21), R0
	MOVD	$const_blockBytes, R25
	SUB	R0, R25
	MOVD	$const_longestRead, R1
	CMP	R1, R25
	BLE	limit
	MOVD	R1, R25
limit:
	MOVW	slot_limit(R20), R1
	CMP	$0, R1
	BLE	call
	CMP	R25, R1
	BGE	call
	MOVD	R1, R25
call:
	MOVW	R0, arrival_from(R24)
	ADD	R21, R0
	MOVD	$block_buf, R1
	ADD	R1, R0
	MOVD	R0, iov_base(R19)
	MOVD	R25, iov_len(R19)
	MOVD	$0, R0
	MOVD	$0, R1
	MOVWU	slot_kernel(R20), R2
	CBZ	R2, receive
	MOVD	$arrival_control, R0
	ADD	R24, R0
	MOVD	$80, R1
receive:
	MOVD	R0, msg_control(R19)
	MOVD	R1, msg_controllen(R19)
	MOVW	slot_fd(R20), R0
	MOVD	$thread_msg, R1
	ADD	R19, R1
	MOVD	$MSG_DONTWAIT, R2
	MOVD	$SYS_recvmsg, R8
	SVC
	CMN	$EINTR, R0
	BEQ	turn
	CMN	$EAGAIN, R0
	BNE	received
	MOVW	ZR, slot_full(R20)
	B	release
received:
	MOVD	R0, R26
	MOVD	$CLOCK_MONOTONIC, R0
	MOVD	$arrival_read, R1
	ADD	R24, R1
	MOVD	$SYS_clock_gettime, R8
	SVC
	CMP	$0, R26
	BLE	ended
	MOVD	msg_controllen(R19), R0
	MOVW	R0, arrival_controls(R24)
	MOVW	R26, arrival_size(R24)
	MOVD	$const_arrivedBytes, R0
	MOVW	R0, arrival_what(R24)
	MOVWU	slot_full(R20), R0
	MOVW	R0, arrival_more(R24)
	CMP	R25, R26
	CSET	EQ, R0
	MOVW	R0, slot_full(R20)
	MOVD	block_used(R21), R0
	ADD	R26, R0
	MOVD	R0, block_used(R21)
	MOVD	$slot_backlog, R2
	ADD	R20, R2
add:
	LDAXR	(R2), R0
	ADD	R26, R0
	STLXR	R0, (R2), R3
	CBNZ	R3, add
	BL	publish<>(SB)
	MOVWU	slot_full(R20), R0
	CBNZ	R0, again
	MOVWU	slot_ending(R20), R0
	CBZ	R0, release // empty: later bytes are a new event
again:
	MOVWU	thread_turns(R19), R0
	SUBW	$1, R0
	MOVW	R0, thread_turns(R19)
	CBNZW	R0, turn
	// The rest after the others: ask for its event again.
	MOVW	slot_id(R20), R0
	MOVW	R0, (thread_rearm+event_id)(R19)
	MOVW	thread_ep(R19), R0
	MOVD	$EPOLL_CTL_MOD, R1
	MOVW	slot_fd(R20), R2
	MOVD	$thread_rearm, R3
	ADD	R19, R3
	MOVD	$SYS_epoll_ctl, R8
	SVC
	B	release
ended:
	NEG	R26, R26
	MOVW	R26, arrival_errno(R24)
	MOVW	ZR, arrival_controls(R24)
	MOVW	ZR, arrival_size(R24)
	MOVD	$const_arrivedEnd, R0
	MOVW	R0, arrival_what(R24)
	MOVD	$1, R0
	MOVW	R0, slot_finished(R20)
	BL	publish<>(SB)
release:
	MOVD	$slot_refs, R2
	ADD	R20, R2
drop:
	LDAXRW	(R2), R0
	SUBW	$1, R0
	STLXRW	R0, (R2), R3
	CBNZ	R3, drop
	CBNZW	R0, done
	MOVW	slot_fd(R20), R0
	MOVD	$SYS_close, R8
	SVC
	B	done
out:
	CLREX
done:
	JMP	(R27)
