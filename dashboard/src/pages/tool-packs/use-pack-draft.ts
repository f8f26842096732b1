import type { ToolPack } from '@carabiner/sdk'
import { useMemo, useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { isSame } from '../../drafts/is-same.ts'
import { useDraft } from '../../drafts/use-draft.ts'
import { toast } from '../../ui/overlays/toast.tsx'
import { type AccountRule, type AccountRules, readSaveProblem } from './save-problem.ts'
import { changedSlugs, inOrder, type Selection } from './selection.ts'

type Fields = Pick<ToolPack, 'connectors' | 'accounts'>
export type PackDraft = ReturnType<typeof usePackDraft>

/** Changes of the tools, raw requests and account rules of a pack, which are saved together. */
export const usePackDraft = (pack: ToolPack) => {
  const saved = useMemo(
    (): Fields => ({ connectors: inOrder(pack.connectors), accounts: pack.accounts }),
    [pack],
  )
  const { values, changes, change, discard, settle } = useDraft(`tool-pack.${pack.id}.tools`, saved)
  const { connectors: selection, accounts: rules } = values
  const [editedSlug, setEditedSlug] = useState<string | null>(null)
  const save = useApiMutation((api, body: Partial<Fields>) => api.toolPacks.update(pack.id, body), {
    mode: 'production',
    invalidates: [['tool-packs']],
    onSuccess: (_pack, submitted) => {
      settle(submitted)
      toast({ title: 'Tool Pack saved', description: 'Agents pick it up the next time they list tools.' })
    },
  })
  const { error, variables } = save
  const problem = useMemo(() => readSaveProblem(error, variables?.connectors), [error, variables])
  return {
    saved,
    selection,
    rules,
    /** How many connectors have changed. */
    count: useMemo(() => changedConnectors(saved, values).size, [saved, values]),
    save,
    editedSlug,
    /** What the service has rejected. */
    problem,
    change: (changed: { connectors?: Selection; accounts?: AccountRules }): void => {
      change({
        ...changed,
        ...(changed.connectors !== undefined && { connectors: inOrder(changed.connectors) }),
      })
      if (save.error) save.reset()
    },
    discard: (): void => {
      discard()
      save.reset()
    },
    edit: setEditedSlug,
    submit: (): void =>
      save.mutate(
        changes,
        // The rejected field is shown where it can be corrected.
        {
          onError: rejected => {
            const found = readSaveProblem(rejected, selection)
            if (found && found.tool === undefined) setEditedSlug(found.slug)
          },
        },
      ),
  }
}

const changedConnectors = (before: Fields, after: Fields): Set<string> => {
  const slugs = new Set([...Object.keys(before.accounts), ...Object.keys(after.accounts)])
  const changedRules = [...slugs].filter(slug => !isSame(before.accounts[slug], after.accounts[slug]))
  return new Set([...changedSlugs(before.connectors, after.connectors), ...changedRules])
}

export const chooseRule = (
  rules: AccountRules,
  slug: string,
  rule: AccountRule | undefined,
): AccountRules => {
  const others = Object.entries(rules).filter(([other]) => other !== slug)
  return Object.fromEntries(rule ? [...others, [slug, rule]] : others)
}
