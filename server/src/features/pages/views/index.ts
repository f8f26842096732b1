export { type ApiKeyModel, apiKeyPage } from './api-key.ts'
export { type ChooseAccountModel, chooseAccountPage } from './choose-account-page.ts'
export { type ChooseSiteModel, chooseSitePage } from './choose-site-page.ts'
export { type ConsentModel, consentPage } from './consent-page.ts'
export {
  awaitingPage,
  type BackLink,
  type CancelledModel,
  type ConnectedModel,
  cancelledPage,
  connectedPage,
  expiredPage,
  type FailedModel,
  failedPage,
  type RefusedClient,
  type ReturnToAppModel,
  refusedPage,
  renewalRequestedPage,
  returnToAppPage,
  type UsedModel,
  usedPage,
  withdrawnPage,
} from './endings.ts'
export * from './model.ts'
export { openingPage } from './opening.ts'
export { type PickerModel, pickerPage } from './picker.ts'
export { SCRIPT, SCRIPT_HASH } from './script.ts'
export { brandStyle, hashSource, STYLE_HASH, STYLESHEET } from './stylesheet.ts'
