import type { PolicyRuleTest, PolicyRuleTested } from '@carabiner/sdk'
import { useEffect, useState } from 'react'
import { isSame } from '../../drafts/is-same.ts'
import { bodyOf, missingOf, type RuleDraft } from './rule-draft.ts'
import { useRuleTest } from './use-policies.ts'

export type Issue = PolicyRuleTested['issues'][number]
export type TestedDraft = {
  /** Why the rule cannot be tested yet. */
  missing: string | null
  issues: readonly Issue[]
  result: PolicyRuleTested | undefined
  /** The result is that of an earlier draft. */
  isStale: boolean
  error: unknown
  retry: () => void
}

/** Each test reads recorded calls, so it waits until the person pauses. */
const DELAY_MS = 500

/** Checks and tests the rule as it is in the editor. */
export const useTestedDraft = (
  draft: RuleDraft,
  { id, pack }: { id: string | undefined; pack: string | undefined },
): TestedDraft => {
  const missing = missingOf(draft)
  const body = missing === null ? testBodyOf(draft, id, pack) : null
  const delayed = usePaused(body)
  const { data, error, isFetching, isPlaceholderData, refetch } = useRuleTest(delayed)
  const isStale = isFetching || isPlaceholderData || !isSame(body, delayed)
  return {
    missing,
    issues: missing === null && data && !isPlaceholderData ? data.issues : [],
    result: missing === null ? data : undefined,
    isStale,
    error: isFetching ? null : error,
    retry: () => void refetch(),
  }
}

const testBodyOf = (draft: RuleDraft, id: string | undefined, pack: string | undefined): PolicyRuleTest => {
  const { name, effect, hook, tools, when } = bodyOf(draft)
  return {
    ...(effect ? { effect } : { hook }),
    tools,
    when: when ?? null,
    ...(name !== '' && { name }),
    ...(id !== undefined && { id }),
    ...(id === undefined && pack !== undefined && { tool_pack_id: pack }),
  }
}

/** The value, once the person stops changing it. */
const usePaused = <T>(value: T): T => {
  const [paused, setPaused] = useState(value)
  const text = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), DELAY_MS)
    return () => clearTimeout(timer)
    // oxlint-disable-next-line react/exhaustive-deps -- The value is another object in every render.
  }, [text])
  return paused
}
