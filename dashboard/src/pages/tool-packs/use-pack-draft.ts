import type { ToolPack, ToolPackPatch } from '@carabiner/sdk'
import { useMemo, useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { toast } from '../../ui/overlays/toast.tsx'
import { type AccountRule, type AccountRules, readSaveProblem } from './save-problem.ts'
import { isSameSelection } from './selection.ts'

type Draft = Partial<Pick<ToolPack, 'connectors' | 'accounts'>>

/** Changes of the tools, raw requests and account rules of a pack, which are saved together. */
export const usePackDraft = (pack: ToolPack) => {
  /** Only what was changed, so that the page shows the saved pack otherwise, also when someone else saves it. */
  const [draft, setDraft] = useState<Draft>({})
  const [editedSlug, setEditedSlug] = useState<string | null>(null)
  const { connectors: selection, accounts: rules } = { ...pack, ...draft }
  const save = useApiMutation((api, body: ToolPackPatch) => api.toolPacks.update(pack.id, body), {
    mode: 'production',
    invalidates: [['tool-packs']],
    onSuccess: () => {
      setDraft({})
      toast({ title: 'Tool Pack saved', description: 'Agents see the change in their next list.' })
    },
  })
  const areToolsChanged = !isSameSelection(selection, pack.connectors)
  const areRulesChanged = !isSameRules(rules, pack.accounts)
  const { error, variables } = save
  const problem = useMemo(
    () => readSaveProblem(error, variables?.connectors as ToolPack['connectors'] | undefined),
    [error, variables],
  )
  return {
    selection,
    rules,
    isChanged: areToolsChanged || areRulesChanged,
    save,
    editedSlug,
    /** What the service has rejected. */
    problem,
    change: (changed: Draft): void => {
      setDraft(previous => ({ ...previous, ...changed }))
      if (save.error) save.reset()
    },
    discard: (): void => {
      setDraft({})
      save.reset()
    },
    edit: setEditedSlug,
    submit: (): void =>
      save.mutate(
        { ...(areToolsChanged && { connectors: selection }), ...(areRulesChanged && { accounts: rules }) },
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

export const chooseRule = (
  rules: AccountRules,
  slug: string,
  rule: AccountRule | undefined,
): AccountRules => {
  const others = Object.entries(rules).filter(([other]) => other !== slug)
  return Object.fromEntries(rule ? [...others, [slug, rule]] : others)
}

const isSameRules = (a: AccountRules, b: AccountRules): boolean => canonical(a) === canonical(b)

const canonical = (rules: AccountRules): string =>
  JSON.stringify(Object.entries(rules).toSorted(([a], [b]) => (a < b ? -1 : 1)))
