/**
 * The text processing of the scanner, to search for values of your own that may be disguised: Unicode folding, decoding of
 * nested escapes, and the texts of content blocks.
 *
 * @packageDocumentation
 */
export { type TextPiece, textPieceOf } from './scan/text-piece.ts'
export { type FoldedText, foldText, sourceEnd, sourceStart } from './text/fold.ts'
export { type DecodedText, decodeEscapes } from './text/unescape.ts'
