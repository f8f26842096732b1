import { SECOND } from '../../core/duration.ts'

/** For the whole of a call at the third party, its second try and the opening of a session included. */
export const CALL_TIMEOUT = 30 * SECOND
/** Decoded bytes of one answer. What a model gets of them is for its Tool Pack to say. */
export const MAX_RESULT_BYTES = 1024 * 1024
