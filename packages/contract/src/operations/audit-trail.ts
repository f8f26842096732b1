import { AuditEntries, AuditQuery, AuditVerification, AuditVerificationQuery } from '../audit-resources.ts'
import { declareOperations } from './operation.ts'

/** Verifying them takes about a second. */
export const MAX_VERIFIED_ENTRIES = 20_000

export const auditTrailOperations = declareOperations('Audit trail', {
  listAuditEntries: {
    route: 'GET /audit-entries',
    client: 'auditEntries.list',
    summary: 'List audit entries',
    description:
      'Newest first: every change made through the API or by the operator, with the actor, the origin and the changed fields. Each entry contains the hash of the previous one.',
    query: AuditQuery,
    responses: { 200: AuditEntries },
    errors: ['invalid_cursor'],
    productionKeyOnly: true,
    permission: 'audit',
    tool: { name: 'list_audit_entries', access: 'read' },
  },
  verifyAuditTrail: {
    route: 'GET /audit-entries/verification',
    client: 'auditEntries.verify',
    summary: 'Verify the audit trail',
    description: `Verifies the hash chain of up to ${MAX_VERIFIED_ENTRIES.toLocaleString('en')} entries starting at \`from\`; with the last entry, also the chain’s seal. Stops at the first problem.`,
    query: AuditVerificationQuery,
    responses: { 200: AuditVerification },
    productionKeyOnly: true,
    permission: 'audit',
  },
})
