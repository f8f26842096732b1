import { lazy, Suspense, useState } from 'react'
import { useMay } from '../../shell/use-session.ts'
import { SaveBar } from '../../ui/forms/save-bar.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import type { RuleDraft } from './use-rule-draft.ts'
import { useSaveRules } from './use-rules.ts'

const SaveDialog = lazy(() => import('./save-dialog.tsx'))

/** Below the rules and below their test, so that a tested change can be saved at once. */
export const SaveRules = ({ pack, draft }: { pack: string | undefined; draft: RuleDraft }) => {
  const { values, differences, discard, settle } = draft
  const mayProtect = useMay('protect')
  const [isSaving, setSaving] = useState(false)
  const save = useSaveRules(pack, submitted => {
    settle(submitted)
    setSaving(false)
    toast({ title: 'Rules saved', description: 'They apply from the next call.' })
  })
  if (!mayProtect) return null
  return (
    <>
      <SaveBar
        changes={differences.length}
        onDiscard={discard}
        action="Review and save"
        onSave={() => setSaving(true)}
      />
      <Suspense>
        {isSaving && (
          <SaveDialog
            changes={differences}
            request={save}
            onSave={() => save.mutate(values)}
            onClose={() => setSaving(false)}
          />
        )}
      </Suspense>
    </>
  )
}
