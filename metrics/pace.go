package metrics

// readingFold simulates a reader of constant speed who reads the visible text
// as it arrives. The reader begins with the first visible chunk and waits
// whenever all arrived text is read:
//
//	wait_i = max(0, t_i − done_{i−1})      done_i = max(t_i, done_{i−1}) + words_i/pace
//
// The sum of the waits is also the head start that avoids them (the largest
// t_i − words before it/pace: Lindley's recursion).
type readingFold struct {
	perWord    float64 // ms per word
	begun      bool
	oneRead    bool // all text arrived in the first read
	read       int32
	first      Stamp
	last       Stamp
	firstWords float64
	words      float64 // read or waiting to be read
	done       float64 // ms since first at which all of it is read
	waited     float64 // ms
	chunks     int
}

func (r *readingFold) reset(p Pace) {
	*r = readingFold{first: NoStamp, last: NoStamp, oneRead: true, perWord: 60_000 / p.WPM}
}

// add takes a visible chunk; words is the count of all the text so far.
func (r *readingFold) add(at Stamp, words float64, read int32) {
	if !at.Known() {
		return // the next chunk with a known arrival adds its words
	}
	r.chunks++
	if !r.begun {
		r.begun, r.first, r.firstWords, r.read = true, at, words, read
	}
	r.oneRead = r.oneRead && read == r.read
	t, _ := stampMs(at, r.first)
	r.waited += r.wait(t)
	r.done = max(r.done, t) + (words-r.words)*r.perWord
	r.words, r.last = words, at
}

// wait returns the reader's total wait at t since the last chunk, assuming no
// further text by then.
func (r *readingFold) wait(t float64) float64 { return max(0, t-r.done) }

// readingFigures computes the figures that compare the stream with a reader.
//
//	WPM          = 60 000 · (words − words of the first visible chunk) / (last − first visible chunk)
//	TimesReading = WPM / Pace.WPM
//	BelowReading = time the reader had to wait / (last − first visible chunk)
//	ReaderWait   = that time in ms
//
// Only visible text counts (content and refusals). Where the visible part came
// as tokens without text, words are tokens of the answer · 0.75, and WordsFrom
// says so. Undefined with fewer than two visible chunks and when all of them
// came in one read. WPM is undefined without a whole word after the first chunk.
func (f *ingest) readingFigures(out *Figures, s *Stream, o Options) {
	out.Pace = o.Pace
	if s.TextRemoved && f.all > 0 {
		u := Unknown(WhyTextRemoved)
		out.WPM, out.TimesReading, out.BelowReading, out.ReaderWait = u, u, u, u
		return
	}
	r := &f.reading
	out.Words, out.WordsFrom = round(f.visible.words()), f.visible.from()
	words, span, why := f.visible.words()-r.firstWords, 0.0, Why(0)
	switch {
	case !r.begun && f.media == 0 && out.Answer.Chunks > 0 && f.visible.chars+f.tool.chars == 0 && out.Answer.Tokens.OK:
		out.Words, out.WordsFrom = round(out.Answer.Tokens.V*WordsPerToken), WordsOfTokens
		words = (out.Answer.Tokens.V - 1) * WordsPerToken
		span, _ = stampMs(f.phase[phaseAnswer].last, f.phase[phaseAnswer].first)
	case f.all == 0:
		why = f.noChunk(s)
	case !r.begun:
		why = byEnd(s, WhyNoText, WhyNoTextEnd)
	case r.chunks < 2:
		why = WhyOneText
	case r.oneRead:
		why = WhyOneRead
	default:
		span, _ = stampMs(r.last, r.first)
	}
	if why == 0 && !(span > 0) {
		why = WhyOneStamp
	}
	if why != 0 {
		u := Unknown(why)
		out.WPM, out.TimesReading, out.BelowReading, out.ReaderWait = u, u, u, u
		return
	}
	out.WPM = Finite(words*60_000/span, 0)
	if words <= 0 { // 0 would say that the text stood still
		out.WPM = Unknown(WhyNoWord)
	}
	out.TimesReading = out.WPM
	if out.WPM.OK {
		out.TimesReading = Finite(out.WPM.V/o.Pace.WPM, 0)
	}
	if !r.begun {
		out.BelowReading = Unknown(WhyNoReading)
		out.ReaderWait = out.BelowReading
		return
	}
	out.ReaderWait = Finite(r.waited, r.chunks)
	out.BelowReading = Finite(min(r.waited/span, 1), r.chunks)
}
