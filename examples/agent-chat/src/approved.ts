import { reportApproval } from '@carabiner/link'

reportApproval()
