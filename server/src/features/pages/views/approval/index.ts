export { approvalPage } from './approval-page.ts'
export type { ApprovalEndingModel, ApprovalEntryModel, ApprovalModel, ShownValue } from './model.ts'
export { approvalEndingPage, approvalEntryPage } from './other-pages.ts'
