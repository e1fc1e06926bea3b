// Names that hold secrets, in every spelling, and names that only look like it.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { anyCharacter, fc } from '../../support/fast-check.ts'
import { SensitiveKeys } from '../../../src/base/redact/sensitive-key.ts'

const keys = new SensitiveKeys()

const sensitive =
  'password passwd pwd pass passphrase secret client_secret token my_token id_token refresh_token access_token api_key apikey key ' +
  'private_key authorization auth bearer credential credentials session sessionid sid phpsessid connect.sid csrf xsrf _csrf_token ' +
  'otp totp mfa pin cvv cvc card cardnumber pan iban account_number ssn signature sig x-amz-signature jwt assertion saml ' +
  'saml_anything samlresponse nonce mysql_pwd dsn connection_string password_confirmation password2 passwd_old secret_key_base ' +
  'private_key_pem db_pass auth_key signing_key token_hash refresh_tokens otp_code verification_code coupon_code code_verifier ' +
  'account_key secretary_password user_credentials x-api-key-old password_reset_url access_key_id client_secret_value ' +
  'recovery_codes backup_codes basic_auth x-auth social_security_number seed_phrase mnemonic creds db_creds pincode cvc2 phone_pin passkey ' +
  'pw user_pw psw passw ccv otpauth pwd_hash privkey bearer_auth client_assertion security_answer mothers_maiden_name passport_number ' +
  'tax_id magic_link reset_link g-recaptcha-response wallet_seed totp_seed ' +
  'oauth_verifier salt hmac x_hmac_sha256 user_otp sms_otp ibans signing_keys card_numbers auth_code oauth_code authorization_code device_code ' +
  'sms_code login_code invite_code invite_codes reset_code unlock_code one_time_code two_factor_code gift_code access_code activation_code 2faCode bypass_code discountCode'

const harmless =
  'name keyboard monkey passage tokenizer author pinned spin japan company sigma design status session_count cardinal panel code ' +
  'state keys id url path method route request_uri __proto__ constructor bypass turkey barcode first_pass statusCode ' +
  'status_code postal_code country-code currencyCode billing.zip_code error_code primary_key publicKey cache-key idempotency_key ' +
  'token_count maxTokens max_tokens total_tokens promptTokens completion_tokens token_type tokenExpiresAt expires_in ' +
  'password_length has_password is_private private_network secret_name tokenizer_model secretary tokenized passwordless ' +
  'salted passenger status_codes country_codes primary_keys arrow_keys pins cards sessions gpio_pin desenhar oauth authors basalt ' +
  'seed random_seed access ticket spw pincodes_page search_phrase salt_rounds database_url getCookie generateNonce asked_code defaultCode ' +
  'source_code room_code quizCode color_codes shortCode airport_code'

describe('SensitiveKeys', () => {
  for (const name of sensitive.split(' ')) {
    it(`knows ${name} in every spelling`, () => {
      const camel = name.replace(/[_.-](\w)/g, (_, letter: string) => letter.toUpperCase())
      for (const spelling of [
        name,
        name.toUpperCase(),
        name.replace(/_/g, '-'),
        name.replace(/_/g, ' '),
        camel,
        `user[${name}]`,
        `a.${name}`,
      ]) {
        assert.ok(keys.matches(spelling), spelling)
      }
    })
  }

  for (const name of harmless.split(' ')) {
    it(`leaves ${name} alone`, () => assert.equal(keys.matches(name), false))
  }

  it('knows words of other languages', () => {
    const names =
      'Passwort passwort_neu kennwort mot_de_passe motDePasse contraseña CONTRASEÑA nueva_contraseña contrasena senha novaSenha ' +
      'hasło HASŁO wachtwoord пароль Пароль passwörter şifre 密码 パスワード 비밀번호 heslo lösenord adgangskode'
    assert.deepEqual(
      names.split(' ').filter((name) => !keys.matches(name)),
      [],
    )
    assert.ok(keys.matches('contraseña'.normalize('NFD')))
  })

  it('shows every name that the documentation calls harmless', () => {
    const section =
      readFileSync('docs/guides/security.md', 'utf8').split('| rule | examples |')[1]?.split('\n\n')[0] ?? ''
    const rows = section.split('\n').slice(2)
    const names = rows.flatMap((row) =>
      [...(row.split('|')[2] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name ?? ''),
    )
    assert.ok(names.length > 25)
    assert.deepEqual(
      names.filter((name) => keys.matches(name)),
      [],
    )
  })

  it('takes a code for a secret only beside a state', () => {
    assert.equal(
      keys.matches('code', (sibling) => sibling === 'state'),
      true,
    )
    assert.equal(
      keys.matches('Code', (sibling) => sibling === 'other'),
      false,
    )
  })

  it('gives the same verdict again and never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: anyCharacter }), fc.string({ minLength: 300, maxLength: 400 })),
        (name) => {
          assert.equal(keys.matches(name), keys.matches(name))
          assert.equal(keys.matches(`${name}password`), true)
        },
      ),
      { numRuns: 200 },
    )
  })
})
