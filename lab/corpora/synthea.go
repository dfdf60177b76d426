package corpora

// The types of synthea_fhir.

type Synthea struct {
	ResourceType string      `json:"resourceType"`
	Type         string      `json:"type"`
	Entry        []FhirEntry `json:"entry"`
}

type FhirEntry struct {
	FullURL  string       `json:"fullUrl"`
	Resource FhirResource `json:"resource"`
	Request  FhirRequest  `json:"request"`
}

type FhirRequest struct {
	Method string `json:"method"`
	URL    string `json:"url"`
}

type FhirResource struct {
	ResourceType              string                  `json:"resourceType"`
	ID                        string                  `json:"id"`
	Text                      *FhirText               `json:"text,omitempty"`
	Extension                 []FhirExtension         `json:"extension,omitempty"`
	Identifier                []FhirIdentifier        `json:"identifier,omitempty"`
	Name                      any                     `json:"name,omitempty"`
	Telecom                   []FhirTelecom           `json:"telecom,omitempty"`
	Gender                    string                  `json:"gender,omitempty"`
	BirthDate                 string                  `json:"birthDate,omitempty"`
	DeceasedDateTime          string                  `json:"deceasedDateTime,omitempty"`
	Address                   []FhirAddre             `json:"address,omitempty"`
	MaritalStatus             *FhirType               `json:"maritalStatus,omitempty"`
	MultipleBirthBoolean      bool                    `json:"multipleBirthBoolean,omitempty"`
	Communication             []FhirCommunication     `json:"communication,omitempty"`
	Active                    bool                    `json:"active,omitempty"`
	Type                      any                     `json:"type,omitempty"`
	Status                    string                  `json:"status,omitempty"`
	Class                     *FhirClass              `json:"class,omitempty"`
	Subject                   *FhirSubject            `json:"subject,omitempty"`
	Participant               []FhirParticipant       `json:"participant,omitempty"`
	Period                    *FhirPeriod             `json:"period,omitempty"`
	ServiceProvider           *FhirIndividual         `json:"serviceProvider,omitempty"`
	ClinicalStatus            *FhirClinicalStatus     `json:"clinicalStatus,omitempty"`
	VerificationStatus        *FhirClinicalStatus     `json:"verificationStatus,omitempty"`
	Code                      *FhirType               `json:"code,omitempty"`
	Encounter                 *FhirEncounter          `json:"encounter,omitempty"`
	OnsetDateTime             string                  `json:"onsetDateTime,omitempty"`
	RecordedDate              string                  `json:"recordedDate,omitempty"`
	Use                       string                  `json:"use,omitempty"`
	Patient                   *FhirSubject            `json:"patient,omitempty"`
	BillablePeriod            *FhirBillablePeriod     `json:"billablePeriod,omitempty"`
	Created                   string                  `json:"created,omitempty"`
	Provider                  *FhirSubject            `json:"provider,omitempty"`
	Priority                  *FhirClinicalStatus     `json:"priority,omitempty"`
	Diagnosis                 []FhirDiagnosi          `json:"diagnosis,omitempty"`
	Insurance                 []FhirInsurance         `json:"insurance,omitempty"`
	Item                      []FhirItem              `json:"item,omitempty"`
	Total                     any                     `json:"total,omitempty"`
	Contained                 []FhirContained         `json:"contained,omitempty"`
	Insurer                   *FhirPayor              `json:"insurer,omitempty"`
	Referral                  *FhirEncounter          `json:"referral,omitempty"`
	Claim                     *FhirEncounter          `json:"claim,omitempty"`
	Outcome                   string                  `json:"outcome,omitempty"`
	CareTeam                  []FhirCareTeam          `json:"careTeam,omitempty"`
	Payment                   *FhirPayment            `json:"payment,omitempty"`
	ReasonCode                []FhirReasonCode        `json:"reasonCode,omitempty"`
	ManagingOrganization      []FhirIndividual        `json:"managingOrganization,omitempty"`
	Intent                    string                  `json:"intent,omitempty"`
	Category                  []FhirReasonCode        `json:"category,omitempty"`
	Addresses                 []FhirEncounter         `json:"addresses,omitempty"`
	Activity                  []FhirActivity          `json:"activity,omitempty"`
	MedicationCodeableConcept *FhirType               `json:"medicationCodeableConcept,omitempty"`
	AuthoredOn                string                  `json:"authoredOn,omitempty"`
	Requester                 *FhirIndividual         `json:"requester,omitempty"`
	ReasonReference           []FhirSubject           `json:"reasonReference,omitempty"`
	Prescription              *FhirEncounter          `json:"prescription,omitempty"`
	LifecycleStatus           string                  `json:"lifecycleStatus,omitempty"`
	AchievementStatus         *FhirClinicalStatus     `json:"achievementStatus,omitempty"`
	Description               *FhirType2              `json:"description,omitempty"`
	Goal                      []FhirEncounter         `json:"goal,omitempty"`
	AbatementDateTime         string                  `json:"abatementDateTime,omitempty"`
	EffectiveDateTime         string                  `json:"effectiveDateTime,omitempty"`
	Issued                    string                  `json:"issued,omitempty"`
	ValueQuantity             *FhirValueQuantity      `json:"valueQuantity,omitempty"`
	PerformedPeriod           *FhirBillablePeriod     `json:"performedPeriod,omitempty"`
	DosageInstruction         []FhirDosageInstruction `json:"dosageInstruction,omitempty"`
	Started                   string                  `json:"started,omitempty"`
	NumberOfSeries            int64                   `json:"numberOfSeries,omitempty"`
	NumberOfInstances         int64                   `json:"numberOfInstances,omitempty"`
	Series                    []FhirSerie             `json:"series,omitempty"`
	Procedure                 []FhirProcedure         `json:"procedure,omitempty"`
	VaccineCode               *FhirType               `json:"vaccineCode,omitempty"`
	OccurrenceDateTime        string                  `json:"occurrenceDateTime,omitempty"`
	PrimarySource             bool                    `json:"primarySource,omitempty"`
	SupportingInfo            []FhirSupportingInfo    `json:"supportingInfo,omitempty"`
	Component                 []FhirComponent         `json:"component,omitempty"`
	ValueCodeableConcept      *FhirType               `json:"valueCodeableConcept,omitempty"`
	Result                    []FhirIndividual        `json:"result,omitempty"`
}

type FhirComponent struct {
	Code          FhirType          `json:"code"`
	ValueQuantity FhirValueQuantity `json:"valueQuantity"`
}

type FhirSupportingInfo struct {
	Sequence       int64              `json:"sequence"`
	Category       FhirClinicalStatus `json:"category"`
	ValueReference FhirEncounter      `json:"valueReference"`
}

type FhirProcedure struct {
	Sequence           int64         `json:"sequence"`
	ProcedureReference FhirEncounter `json:"procedureReference"`
}

type FhirSerie struct {
	Uid               string          `json:"uid"`
	Number            int64           `json:"number"`
	Modality          FhirValueCoding `json:"modality"`
	NumberOfInstances int64           `json:"numberOfInstances"`
	BodySite          FhirValueCoding `json:"bodySite"`
	Started           string          `json:"started"`
	Instance          []FhirInstance  `json:"instance"`
}

type FhirInstance struct {
	Uid      string    `json:"uid"`
	SopClass FhirClass `json:"sopClass"`
	Number   int64     `json:"number"`
	Title    string    `json:"title"`
}

type FhirDosageInstruction struct {
	Sequence        int64             `json:"sequence"`
	Timing          *FhirTiming       `json:"timing,omitempty"`
	AsNeededBoolean bool              `json:"asNeededBoolean"`
	DoseAndRate     []FhirDoseAndRate `json:"doseAndRate,omitempty"`
}

type FhirDoseAndRate struct {
	Type         FhirCategory     `json:"type"`
	DoseQuantity FhirDoseQuantity `json:"doseQuantity"`
}

type FhirDoseQuantity struct {
	Value float64 `json:"value"`
}

type FhirTiming struct {
	Repeat FhirRepeat `json:"repeat"`
}

type FhirRepeat struct {
	Frequency  int64   `json:"frequency"`
	Period     float64 `json:"period"`
	PeriodUnit string  `json:"periodUnit"`
}

type FhirValueQuantity struct {
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
	System string  `json:"system"`
	Code   string  `json:"code"`
}

type FhirActivity struct {
	Detail FhirDetail `json:"detail"`
}

type FhirDetail struct {
	Code     FhirType  `json:"code"`
	Status   string    `json:"status"`
	Location FhirPayor `json:"location"`
}

type FhirReasonCode struct {
	Coding []FhirValueCoding `json:"coding"`
	Text   string            `json:"text,omitempty"`
}

type FhirPayment struct {
	Amount FhirNet `json:"amount"`
}

type FhirCareTeam struct {
	Sequence  int64          `json:"sequence,omitempty"`
	Provider  *FhirEncounter `json:"provider,omitempty"`
	Role      *FhirCategory  `json:"role,omitempty"`
	Reference string         `json:"reference,omitempty"`
}

type FhirContained struct {
	ResourceType string          `json:"resourceType"`
	ID           string          `json:"id"`
	Status       string          `json:"status"`
	Intent       string          `json:"intent,omitempty"`
	Subject      *FhirEncounter  `json:"subject,omitempty"`
	Requester    *FhirEncounter  `json:"requester,omitempty"`
	Performer    []FhirEncounter `json:"performer,omitempty"`
	Type         *FhirType2      `json:"type,omitempty"`
	Beneficiary  *FhirEncounter  `json:"beneficiary,omitempty"`
	Payor        []FhirPayor     `json:"payor,omitempty"`
}

type FhirPayor struct {
	Display string `json:"display"`
}

type FhirType2 struct {
	Text string `json:"text"`
}

type FhirItem struct {
	Sequence                int64               `json:"sequence"`
	ProductOrService        FhirType            `json:"productOrService"`
	Encounter               []FhirEncounter     `json:"encounter,omitempty"`
	DiagnosisSequence       []int64             `json:"diagnosisSequence,omitempty"`
	Category                *FhirCategory       `json:"category,omitempty"`
	ServicedPeriod          *FhirBillablePeriod `json:"servicedPeriod,omitempty"`
	LocationCodeableConcept *FhirCategory       `json:"locationCodeableConcept,omitempty"`
	ProcedureSequence       []int64             `json:"procedureSequence,omitempty"`
	Net                     *FhirNet            `json:"net,omitempty"`
	Adjudication            []FhirAdjudication  `json:"adjudication,omitempty"`
	InformationSequence     []int64             `json:"informationSequence,omitempty"`
}

type FhirAdjudication struct {
	Category FhirCategory `json:"category"`
	Amount   *FhirNet     `json:"amount,omitempty"`
}

type FhirNet struct {
	Value    float64 `json:"value"`
	Currency string  `json:"currency"`
}

type FhirCategory struct {
	Coding []FhirValueCoding `json:"coding"`
}

type FhirInsurance struct {
	Sequence int64        `json:"sequence,omitempty"`
	Focal    bool         `json:"focal"`
	Coverage FhirCoverage `json:"coverage"`
}

type FhirCoverage struct {
	Display   string `json:"display"`
	Reference string `json:"reference,omitempty"`
}

type FhirDiagnosi struct {
	Sequence           int64                `json:"sequence"`
	DiagnosisReference FhirEncounter        `json:"diagnosisReference"`
	Type               []FhirClinicalStatus `json:"type,omitempty"`
}

type FhirBillablePeriod struct {
	Start string `json:"start"`
	End   string `json:"end"`
}

type FhirEncounter struct {
	Reference string `json:"reference"`
}

type FhirClinicalStatus struct {
	Coding []FhirClass `json:"coding"`
}

type FhirPeriod struct {
	Start string `json:"start"`
	End   string `json:"end,omitempty"`
}

type FhirParticipant struct {
	Individual *FhirIndividual `json:"individual,omitempty"`
	Role       []FhirType      `json:"role,omitempty"`
	Member     *FhirIndividual `json:"member,omitempty"`
}

type FhirIndividual struct {
	Reference string `json:"reference"`
	Display   string `json:"display"`
}

type FhirSubject struct {
	Reference string `json:"reference"`
	Display   string `json:"display,omitempty"`
}

type FhirClass struct {
	System string `json:"system"`
	Code   string `json:"code"`
}

type FhirCommunication struct {
	Language FhirType `json:"language"`
}

type FhirAddre struct {
	Extension  []FhirExtension3 `json:"extension,omitempty"`
	Line       []string         `json:"line"`
	City       string           `json:"city"`
	State      string           `json:"state"`
	PostalCode string           `json:"postalCode"`
	Country    string           `json:"country"`
}

type FhirExtension3 struct {
	URL       string           `json:"url"`
	Extension []FhirExtension4 `json:"extension"`
}

type FhirExtension4 struct {
	URL          string  `json:"url"`
	ValueDecimal float64 `json:"valueDecimal"`
}

type FhirTelecom struct {
	System string `json:"system"`
	Value  string `json:"value"`
	Use    string `json:"use,omitempty"`
}

type FhirIdentifier struct {
	System string    `json:"system"`
	Value  string    `json:"value"`
	Type   *FhirType `json:"type,omitempty"`
	Use    string    `json:"use,omitempty"`
}

type FhirType struct {
	Coding []FhirValueCoding `json:"coding"`
	Text   string            `json:"text"`
}

type FhirExtension struct {
	URL          string            `json:"url"`
	Extension    []FhirExtension2  `json:"extension,omitempty"`
	ValueString  string            `json:"valueString,omitempty"`
	ValueCode    string            `json:"valueCode,omitempty"`
	ValueAddress *FhirValueAddress `json:"valueAddress,omitempty"`
	ValueDecimal float64           `json:"valueDecimal,omitempty"`
}

type FhirValueAddress struct {
	City    string `json:"city"`
	State   string `json:"state"`
	Country string `json:"country"`
}

type FhirExtension2 struct {
	URL         string           `json:"url"`
	ValueCoding *FhirValueCoding `json:"valueCoding,omitempty"`
	ValueString string           `json:"valueString,omitempty"`
}

type FhirValueCoding struct {
	System  string `json:"system"`
	Code    string `json:"code"`
	Display string `json:"display"`
}

type FhirText struct {
	Status string `json:"status"`
	Div    string `json:"div"`
}
