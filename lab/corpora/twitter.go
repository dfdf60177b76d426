package corpora

// The types of twitter_status.

type Twitter struct {
	Statuses       []TweetStatus       `json:"statuses"`
	SearchMetadata TweetSearchMetadata `json:"search_metadata"`
}

type TweetSearchMetadata struct {
	CompletedIn float64 `json:"completed_in"`
	MaxID       int64   `json:"max_id"`
	MaxIDStr    string  `json:"max_id_str"`
	NextResults string  `json:"next_results"`
	Query       string  `json:"query"`
	RefreshURL  string  `json:"refresh_url"`
	Count       int64   `json:"count"`
	SinceID     int64   `json:"since_id"`
	SinceIDStr  string  `json:"since_id_str"`
}

type TweetStatus struct {
	Metadata             TweetMetadata         `json:"metadata"`
	CreatedAt            string                `json:"created_at"`
	ID                   int64                 `json:"id"`
	IDStr                string                `json:"id_str"`
	Text                 string                `json:"text"`
	Source               string                `json:"source"`
	Truncated            bool                  `json:"truncated"`
	InReplyToStatusID    *int64                `json:"in_reply_to_status_id"`
	InReplyToStatusIDStr *string               `json:"in_reply_to_status_id_str"`
	InReplyToUserID      *int64                `json:"in_reply_to_user_id"`
	InReplyToUserIDStr   *string               `json:"in_reply_to_user_id_str"`
	InReplyToScreenName  *string               `json:"in_reply_to_screen_name"`
	User                 TweetUser             `json:"user"`
	Geo                  any                   `json:"geo"`
	Coordinates          any                   `json:"coordinates"`
	Place                any                   `json:"place"`
	Contributors         any                   `json:"contributors"`
	RetweetCount         int64                 `json:"retweet_count"`
	FavoriteCount        int64                 `json:"favorite_count"`
	Entities             TweetEntities2        `json:"entities"`
	Favorited            bool                  `json:"favorited"`
	Retweeted            bool                  `json:"retweeted"`
	Lang                 string                `json:"lang"`
	RetweetedStatus      *TweetRetweetedStatus `json:"retweeted_status,omitempty"`
	PossiblySensitive    bool                  `json:"possibly_sensitive,omitempty"`
}

type TweetRetweetedStatus struct {
	Metadata             TweetMetadata  `json:"metadata"`
	CreatedAt            string         `json:"created_at"`
	ID                   int64          `json:"id"`
	IDStr                string         `json:"id_str"`
	Text                 string         `json:"text"`
	Source               string         `json:"source"`
	Truncated            bool           `json:"truncated"`
	InReplyToStatusID    *int64         `json:"in_reply_to_status_id"`
	InReplyToStatusIDStr *string        `json:"in_reply_to_status_id_str"`
	InReplyToUserID      *int64         `json:"in_reply_to_user_id"`
	InReplyToUserIDStr   *string        `json:"in_reply_to_user_id_str"`
	InReplyToScreenName  *string        `json:"in_reply_to_screen_name"`
	User                 TweetUser      `json:"user"`
	Geo                  any            `json:"geo"`
	Coordinates          any            `json:"coordinates"`
	Place                any            `json:"place"`
	Contributors         any            `json:"contributors"`
	RetweetCount         int64          `json:"retweet_count"`
	FavoriteCount        int64          `json:"favorite_count"`
	Entities             TweetEntities2 `json:"entities"`
	Favorited            bool           `json:"favorited"`
	Retweeted            bool           `json:"retweeted"`
	PossiblySensitive    bool           `json:"possibly_sensitive,omitempty"`
	Lang                 string         `json:"lang"`
}

type TweetEntities2 struct {
	Hashtags     []TweetHashtag     `json:"hashtags"`
	Symbols      []any              `json:"symbols"`
	Urls         []TweetUrl         `json:"urls"`
	UserMentions []TweetUserMention `json:"user_mentions"`
	Media        []TweetMedia       `json:"media,omitempty"`
}

type TweetMedia struct {
	ID                int64      `json:"id"`
	IDStr             string     `json:"id_str"`
	Indices           []int64    `json:"indices"`
	MediaURL          string     `json:"media_url"`
	MediaURLHttps     string     `json:"media_url_https"`
	URL               string     `json:"url"`
	DisplayURL        string     `json:"display_url"`
	ExpandedURL       string     `json:"expanded_url"`
	Type              string     `json:"type"`
	Sizes             TweetSizes `json:"sizes"`
	SourceStatusID    int64      `json:"source_status_id,omitempty"`
	SourceStatusIDStr string     `json:"source_status_id_str,omitempty"`
}

type TweetSizes struct {
	Medium TweetMedium `json:"medium"`
	Small  TweetMedium `json:"small"`
	Thumb  TweetMedium `json:"thumb"`
	Large  TweetMedium `json:"large"`
}

type TweetMedium struct {
	W      int64  `json:"w"`
	H      int64  `json:"h"`
	Resize string `json:"resize"`
}

type TweetUserMention struct {
	ScreenName string  `json:"screen_name"`
	Name       string  `json:"name"`
	ID         int64   `json:"id"`
	IDStr      string  `json:"id_str"`
	Indices    []int64 `json:"indices"`
}

type TweetHashtag struct {
	Text    string  `json:"text"`
	Indices []int64 `json:"indices"`
}

type TweetUser struct {
	ID                             int64         `json:"id"`
	IDStr                          string        `json:"id_str"`
	Name                           string        `json:"name"`
	ScreenName                     string        `json:"screen_name"`
	Location                       string        `json:"location"`
	Description                    string        `json:"description"`
	URL                            *string       `json:"url"`
	Entities                       TweetEntities `json:"entities"`
	Protected                      bool          `json:"protected"`
	FollowersCount                 int64         `json:"followers_count"`
	FriendsCount                   int64         `json:"friends_count"`
	ListedCount                    int64         `json:"listed_count"`
	CreatedAt                      string        `json:"created_at"`
	FavouritesCount                int64         `json:"favourites_count"`
	UtcOffset                      *int64        `json:"utc_offset"`
	TimeZone                       *string       `json:"time_zone"`
	GeoEnabled                     bool          `json:"geo_enabled"`
	Verified                       bool          `json:"verified"`
	StatusesCount                  int64         `json:"statuses_count"`
	Lang                           string        `json:"lang"`
	ContributorsEnabled            bool          `json:"contributors_enabled"`
	IsTranslator                   bool          `json:"is_translator"`
	IsTranslationEnabled           bool          `json:"is_translation_enabled"`
	ProfileBackgroundColor         string        `json:"profile_background_color"`
	ProfileBackgroundImageURL      string        `json:"profile_background_image_url"`
	ProfileBackgroundImageURLHttps string        `json:"profile_background_image_url_https"`
	ProfileBackgroundTile          bool          `json:"profile_background_tile"`
	ProfileImageURL                string        `json:"profile_image_url"`
	ProfileImageURLHttps           string        `json:"profile_image_url_https"`
	ProfileBannerURL               string        `json:"profile_banner_url,omitempty"`
	ProfileLinkColor               string        `json:"profile_link_color"`
	ProfileSidebarBorderColor      string        `json:"profile_sidebar_border_color"`
	ProfileSidebarFillColor        string        `json:"profile_sidebar_fill_color"`
	ProfileTextColor               string        `json:"profile_text_color"`
	ProfileUseBackgroundImage      bool          `json:"profile_use_background_image"`
	DefaultProfile                 bool          `json:"default_profile"`
	DefaultProfileImage            bool          `json:"default_profile_image"`
	Following                      bool          `json:"following"`
	FollowRequestSent              bool          `json:"follow_request_sent"`
	Notifications                  bool          `json:"notifications"`
}

type TweetEntities struct {
	Description TweetDescription  `json:"description"`
	URL         *TweetDescription `json:"url,omitempty"`
}

type TweetDescription struct {
	Urls []TweetUrl `json:"urls"`
}

type TweetUrl struct {
	URL         string  `json:"url"`
	ExpandedURL string  `json:"expanded_url"`
	DisplayURL  string  `json:"display_url"`
	Indices     []int64 `json:"indices"`
}

type TweetMetadata struct {
	ResultType      string `json:"result_type"`
	IsoLanguageCode string `json:"iso_language_code"`
}
