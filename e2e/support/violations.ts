import { newUuid } from '../../server/src/core/uuid.ts'
import type { TestService } from '../../server/test/support/test-service.ts'

/** A violation of some days ago. */
export const recordViolation = (
  { query, organization }: Pick<TestService, 'query' | 'organization'>,
  { entity, days, userId }: { entity: string; days: number; userId: string },
): Promise<unknown> =>
  query(
    `insert into rule_violations (organization_id, id, registered_user_id, mode, tool_call_id, connector_slug, tool, at, direction, entity, rule, action,
       count, score, dry_run)
     values ($1, $2, $3, 'production', $2, 'sandbox-notes', 'list_notes', app_now() - $4 * interval '1 day', 'outbound', $5, 'x', 'redact', 2, 1, true)`,
    [organization.id, newUuid(), userId, days, entity],
  )
