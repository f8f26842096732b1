import type { ApprovalPreview } from '@carabiner/contract'
import { canonicalJson } from '../../core/json/canonical-json.ts'

/**
 * Whether the person would see the same values as before, except for those that may change. A preview that the person has not seen,
 * because it could not be loaded, is not compared. One that cannot be loaded any more counts as changed.
 */
export const isUnchanged = (seen: readonly ApprovalPreview[], current: readonly ApprovalPreview[]): boolean =>
  seen.every((preview, index) => !preview.is_loaded || lastingOf(preview) === lastingOf(current[index]))

/** The values that must not change. Null: they could not be loaded. */
export const lastingOf = (preview: ApprovalPreview | undefined): string | null =>
  preview?.is_loaded
    ? canonicalJson(
        preview.fields.filter(field => !field.display_only).map(({ label, text }) => [label, text]),
      )
    : null
