import type { ApprovalDecide, ApprovalPasskeys } from '@carabiner/sdk'

type Assertion = NonNullable<ApprovalDecide['assertion']>

/** Lets one of the person's passkeys sign the digest of an approval, after it has verified the person. */
export const signApproval = async ({ challenge, rp_id, passkeys }: ApprovalPasskeys): Promise<Assertion> => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({
    challenge,
    rpId: rp_id,
    userVerification: 'required',
    allowCredentials: passkeys.map(({ credential_id: id, transports }) => ({
      type: 'public-key',
      id,
      transports,
    })),
  })
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential
  const { id, response } = credential.toJSON() as AuthenticationResponseJSON
  return {
    credential_id: id,
    client_data_json: response.clientDataJSON,
    authenticator_data: response.authenticatorData,
    signature: response.signature,
  }
}
